/**
 * What stands as a user's message in a rollout though no person typed it. Codex puts it into tags of
 * its own.
 */

import type { ContextFact } from "../../../protocol/entry.ts";

type Mark = { kind: ContextFact["kind"]; title: string };

const marks: [RegExp, Mark][] = [
  [/^<environment_context>/, { kind: "environment", title: "environment" }],
  [
    /^(<user_instructions>|<INSTRUCTIONS>|# AGENTS\.md instructions)/,
    { kind: "instructions", title: "instructions" },
  ],
  [/^<user_shell_command>/, { kind: "shell", title: "shell" }],
  [
    /^<(turn_aborted|subagent_notification|skill|permissions instructions|collaboration_mode)\b/,
    { kind: "reminder", title: "reminder" },
  ],
];

/** Null: a person's own words. */
export const markOf = (text: string): Mark | null =>
  marks.find(([pattern]) => pattern.test(text.slice(0, 200).trimStart()))?.[1] ?? null;

/** The folder that old files tell only the model of. */
export function folderIn(text: string): string | null {
  const start = text.slice(0, 4_000);
  if (!start.includes("<environment_context>")) return null;
  const found = /<cwd>([^<\n]+)<\/cwd>|Current working directory: ([^\n]+)/.exec(start);
  return found?.[1] ?? found?.[2] ?? null;
}
