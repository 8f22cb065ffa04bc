/** The known equivalents of the room `tools/permission`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all(
    "src/tools/permission/danger/removed.ts",
    "Only the limit of counting changes, by one file.",
    { "const limits = { files: 10_000, ms: 250 };": ["const limits = { files: 10001, ms: 250 };"] },
  ),
  ...all(
    "src/tools/permission/danger/removed.ts",
    "Only the moment at which counting ends changes, imperceptibly.",
    {
      "if (files > limits.files || performance.now() > until) return null;": [
        "if (files > limits.files || performance.now() >= until) return null;",
      ],
    },
  ),
  ...all("src/tools/permission/judge-command.ts", "Read-only commands write nothing in any case.", {
    "effects: false,": ["effects: true,"],
  }),
  ...all(
    "src/tools/permission/judge-command.ts",
    "Git's configuration is hidden only from read-only commands, and only in the sandbox.",
    {
      "git: true,": ["git: false,"],
      'writableExecution({ network: "any", outside: true, git: true, writable: [] }, source);': [
        'writableExecution({ network: "any", outside: true, git: false, writable: [] }, source);',
      ],
    },
  ),
  ...all("src/tools/permission/line/unwrap.ts", "Only how far nesting is followed changes.", {
    "if (start === -1 || depth > 5) return [];": ["if (start === -1 || depth > 6) return [];"],
    "const maxWords = 50;": ["const maxWords = 51;"],
    "const maxValues = 2;": ["const maxValues = 3;"],
  }),
  ...all("src/tools/permission/read-only/git.ts", "Git allows -- without paths after it.", {
    '...(paths.length > 0 ? ["--", ...paths] : []),': [
      '...(paths.length >= 0 ? ["--", ...paths] : []),',
    ],
  }),
];
