import type { Marks } from "../marks.ts";

/** Title of the message that says that the user interrupted the turn. */
export const interrupted = "interrupted";

export const marks: Marks = [
  [/^<environment_context>/, "environment", "environment"],
  [
    /^(<user_instructions>|<INSTRUCTIONS>|# AGENTS\.md instructions)/,
    "instructions",
    "instructions",
  ],
  [/^<user_shell_command>/, "shell", "shell"],
  [
    /^<(subagent_notification|skill|permissions instructions|collaboration_mode)\b/,
    "reminder",
    "reminder",
  ],
  [/^<turn_aborted\b/, "reminder", interrupted],
];

/** The folder, which old files mention only to the model. */
export function folderIn(text: string): string | null {
  const start = text.slice(0, 4_000);
  if (!start.includes("<environment_context>")) return null;
  const found = /<cwd>([^<\n]+)<\/cwd>|Current working directory: ([^\n]+)/.exec(start);
  return found?.[1] ?? found?.[2] ?? null;
}
