/** The command line of `mini-claude import`. */

import { parseOptions } from "../../config/subcommands.ts";
import { UsageError } from "../../config/usage-error.ts";

export const help = `Usage: mini-claude import FILE|DIR... [--json]
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

export type Options = { places: string[]; json: boolean };

/** Throws `UsageError`. */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseOptions(args, { json: { type: "boolean" } });
  if (positionals.length === 0) throw new UsageError(`import needs files or folders:\n${help}`);
  return { places: positionals, json: values.json ?? false };
}
