/** The known equivalents of the room `hooks`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all(
    "src/extensions/hooks/command-hook.ts",
    "Only a shell is started or not: a script of at most one byte sets nothing.",
    {
      "if ((await stat(file)).size === 0) return { result, variables: {} };": [
        ";",
        "if ((await stat(file)).size === 1) return { result, variables: {} };",
      ],
    },
  ),
  ...all(
    "src/extensions/hooks/events.ts",
    "Every key is an event: the filter only narrows the type.",
    {
      "export const hookEvents = Object.keys(subjects).filter(isHookEvent);": [
        "export const hookEvents = Object.keys(subjects);",
      ],
    },
  ),
  ...all("src/extensions/hooks/registry.ts", "Only the order of the two ranks matters.", {
    "const rank = ({ origin }: Registered<E>) => (origin.isProject ? 0 : 1);": [
      "const rank = ({ origin }: Registered<E>) => (origin.isProject ? 0 : 2);",
    ],
  }),
  ...all("src/extensions/hooks/registry.ts", "Only a delay becomes a millisecond longer.", {
    "const endMs = 2_000;": ["const endMs = 2001;"],
  }),
  ...all("src/extensions/hooks/run-command.ts", "The result is never used.", {
    'const killGroup = (pid: number): boolean => attempt(() => process.kill(-pid, "SIGKILL"), false);':
      [
        'const killGroup = (pid: number): boolean => attempt(() => process.kill(-pid, "SIGKILL"), true);',
      ],
  }),
];
