import { parseArgs } from "node:util";

export const importHelp = `Usage: mini-claude import FILE|DIR... [--json]
Imports sessions of other agents, to view, replay or resume here. Their files are never changed.

  Claude Code   ~/.claude/projects
  pi            ~/.pi/agent/sessions
  Codex         ~/.codex
  Gemini CLI    ~/.gemini/tmp
  opencode      ~/.local/share/opencode, or what opencode export prints

Folders are searched for .jsonl and .jsonl.zst files, session-*.json and opencode.db; the agent is
detected from the content. A session is filed under the folder it was held in: start mini-claude
--resume ID there. Nothing is imported twice: a session that has grown replaces its earlier import,
unless you have continued that here. Subagents' conversations are skipped in folders; name their
file to import one.

  --json        print one JSON object per file
  -h, --help

Exit codes: 0 all sessions imported, 1 none found or some could not be read or written, 2 usage error.
`;

export type Options = { places: string[]; json: boolean; help: boolean };

/** Throws an `Error` with a clear sentence for invalid options. */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { json: { type: "boolean" }, help: { type: "boolean", short: "h" } },
    allowPositionals: true,
  });
  return { places: positionals, json: values.json ?? false, help: values.help ?? false };
}
