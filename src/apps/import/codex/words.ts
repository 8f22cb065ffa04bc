/** User messages that nobody typed: Codex puts them into its own tags. */

import type { ContextFact } from "../../../protocol/entry.ts";

/** Title of the message that says that the user interrupted the turn. */
export const interrupted = "interrupted";

type Mark = { kind: ContextFact["kind"]; title: string };

const marks: [RegExp, Mark][] = [
  [/^<environment_context>/, { kind: "environment", title: "environment" }],
  [
    /^(<user_instructions>|<INSTRUCTIONS>|# AGENTS\.md instructions)/,
    { kind: "instructions", title: "instructions" },
  ],
  [/^<user_shell_command>/, { kind: "shell", title: "shell" }],
  [
    /^<(subagent_notification|skill|permissions instructions|collaboration_mode)\b/,
    { kind: "reminder", title: "reminder" },
  ],
  [/^<turn_aborted\b/, { kind: "reminder", title: interrupted }],
];

/** Null for words that the user typed. */
export const markOf = (text: string): Mark | null =>
  marks.find(([pattern]) => pattern.test(text.slice(0, 200).trimStart()))?.[1] ?? null;

/** The folder, which old files mention only to the model. */
export function folderIn(text: string): string | null {
  const start = text.slice(0, 4_000);
  if (!start.includes("<environment_context>")) return null;
  const found = /<cwd>([^<\n]+)<\/cwd>|Current working directory: ([^\n]+)/.exec(start);
  return found?.[1] ?? found?.[2] ?? null;
}
