/** User messages that nobody typed: Claude Code marks them with its own tags or with brackets. */

import type { ContextFact } from "../../../protocol/entry.ts";

type Mark = { kind: ContextFact["kind"]; title: string };

const interruption = /^\[Request interrupted by user/;

export const isInterruption = (text: string): boolean => interruption.test(text);

const marks: [RegExp, Mark][] = [
  [/^<bash-(input|stdout|stderr)>/, { kind: "shell", title: "shell" }],
  [/^<local-command-(stdout|stderr|caveat)>/, { kind: "reminder", title: "command" }],
  [/^<command-(name|message|args|contents)>/, { kind: "reminder", title: "command" }],
  [
    /^<(system-reminder|task-notification|user-memory-input)>/,
    { kind: "reminder", title: "reminder" },
  ],
  [/^Caveat: The messages below were generated/, { kind: "reminder", title: "command" }],
  [interruption, { kind: "reminder", title: "interrupted" }],
];

/** Null for words that the user typed. */
export const markOf = (text: string): Mark | null =>
  marks.find(([pattern]) => pattern.test(text.slice(0, 200).trimStart()))?.[1] ?? null;
