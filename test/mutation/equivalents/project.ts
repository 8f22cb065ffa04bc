/** The known equivalents of the room `project`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all("src/extensions/project/prompt-files/prompt-file.ts", "Only the first part is used.", {
    'const firstLine = (body: string): string => body.split("\\n", 1)[0]?.replace(/^#+\\s*/, "") ?? "";':
      [
        'const firstLine = (body: string): string => body.split("\\n", 2)[0]?.replace(/^#+\\s*/, "") ?? "";',
      ],
  }),
  ...all(
    "src/extensions/project/worktree.ts",
    "git, which is started next, reads the file later.",
    {
      'await writeFile(join(folder, ".gitignore"), "*\\n", { flag: "wx" }).catch(() => undefined);':
        ['writeFile(join(folder, ".gitignore"), "*\\n", { flag: "wx" }).catch(() => undefined);'],
    },
  ),
];
