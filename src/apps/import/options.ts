import { parseArgs } from "node:util";

export const importHelp = `Usage: mini-claude import FILE|DIR... [--json]
Brings sessions of other agents here, to look at, replay or go on with. Their files are only read.

  Claude Code   ~/.claude/projects
  pi            ~/.pi/agent/sessions
  Codex         ~/.codex/sessions

A folder is walked through for .jsonl files. Whose session a file holds is found out from what stands
in it. A session goes to the project of the folder that it was held in; there
mini-claude --resume ID goes on with it. What is known already is not doubled: a session that has
grown takes the place of its earlier import, or stands beside it when you went on with that here.
Conversations of subagents are left out of a folder; name their file to import one.

  --json        one JSON object a file
  -h, --help

Exit codes: 0 every session is here, 1 some could not be read or written, or there was none, 2 wrong use.
`;

export type Options = { places: string[]; json: boolean; help: boolean };

/** Throws an `Error` in words for what cannot be meant. */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { json: { type: "boolean" }, help: { type: "boolean", short: "h" } },
    allowPositionals: true,
  });
  return { places: positionals, json: values.json ?? false, help: values.help ?? false };
}
