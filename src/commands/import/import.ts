/** `mini-claude import`: imports sessions of other agents. */

import { basename, join } from "node:path";
import systemPrompt from "../../agent/prompts/system.md" with { type: "text" };
import { childEnv } from "../../config/credentials.ts";
import { projectName } from "../../config/paths.ts";
import { loadSettings, type Settings } from "../../config/settings.ts";
import { parseOptions, type SubcommandIo } from "../../config/subcommands.ts";
import { UsageError } from "../../config/usage-error.ts";
import { Checkpoints } from "../../log/checkpoints.ts";
import { LogImporter } from "../../log/log-importer.ts";
import { removeSession } from "../../log/remove.ts";
import { errorCode } from "../../base/guards.ts";
import { messageOf } from "../../base/in-words.ts";
import type { ToolDefinition } from "../../protocol/model.ts";
import { jsonToTerminal } from "../../base/to-terminal.ts";
import { toolboxFor } from "../../run/toolbox.ts";
import { sourcesIn } from "./detect.ts";
import { ImportIndex, type Earlier } from "./import-index.ts";
import { formatResult, summarizeResults, type ImportResult } from "./import-result.ts";
import type { ReadResult } from "./source.ts";
import { SourceFile } from "./source-file.ts";
import { filesAt } from "./walk.ts";
import { folderOf, writeSession, type Destination } from "./write-session.ts";

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

/** Returns the exit code. Throws when a folder of the settings does not exist. */
export async function run(args: readonly string[], io: SubcommandIo): Promise<number> {
  const { settings, problems } = loadSettings({ env: io.env, file: io.paths.settings, flags: [] });
  for (const problem of problems) io.err(`${problem}\n`);
  return runImport(args, io, {
    system: systemPrompt.trim(),
    tools: await toolDefinitions(io, settings),
    model: settings.model,
  });
}

/** A session's first entry fixes its tools, even when another agent began it. */
async function toolDefinitions(
  { paths, env, cwd }: SubcommandIo,
  settings: Settings,
): Promise<ToolDefinition[]> {
  const toolbox = await toolboxFor({
    settings: { ...settings, addDirs: [] },
    paths,
    cwd,
    env: childEnv(env),
    checkpoints: new Checkpoints(paths.checkpoints),
    memory: {
      search: async () => [],
      searchProject: async () => [],
      open: async () => null,
      callOf: () => null,
    },
    loadSkill: async () => null,
    path: () => [],
  });
  const { definitions } = toolbox;
  await toolbox.close();
  return definitions;
}

type ImportIo = Pick<SubcommandIo, "out" | "err" | "progress" | "cwd"> & {
  paths: { sessions: string };
};

/** Returns the exit code. Throws `UsageError`. */
export function runImport(args: readonly string[], io: ImportIo, destination: Destination): number {
  const { values, positionals } = parseOptions(args, { json: { type: "boolean" } });
  if (positionals.length === 0) throw new UsageError(`import needs files or folders:\n${help}`);
  const importFile = importerOf(io, destination);
  const results: ImportResult[] = [];
  const report = (result: ImportResult): void => {
    results.push(result);
    // Other files in a folder are counted at the end, not listed one by one.
    if (values.json) io.out(`${jsonToTerminal(JSON.stringify(result))}\n`);
    else if (result.status === "failed") io.err(`${formatResult(result)}\n`);
    else if (result.status !== "skipped") io.out(`${formatResult(result)}\n`);
  };
  for (const named of positionals) {
    const found = filesAt(named, io.cwd);
    if (!found) report({ file: named, status: "failed", reason: "no such file or folder" });
    for (const [done, file] of found?.files.entries() ?? []) {
      io.progress?.(done, found?.files.length ?? 0, basename(file));
      const all = [...importFile(file, found?.isFolder === true)];
      // What was named is expected to be imported; of a database, only some sessions may be.
      const isNamed = !found?.isFolder && all.length === 1;
      for (const result of all)
        report(isNamed && result.status === "skipped" ? { ...result, status: "failed" } : result);
    }
  }
  const here = results.some(({ status }) => ["imported", "updated", "known"].includes(status));
  if (results.length === 0) io.err("No sessions found.\n");
  else if (!values.json && (results.length > 1 || !here)) io.err(`${summarizeResults(results)}\n`);
  return here && !results.some(({ status }) => status === "failed") ? 0 : 1;
}

type Outcome = Omit<ImportResult, "file">;

const skipped = (why: string): Outcome => ({ status: "skipped", reason: `it ${why}` });

/** What imports the sessions of a file. */
function importerOf(io: ImportIo, destination: Destination) {
  const index = new ImportIndex(io.paths.sessions);
  return importFile;

  function* importFile(path: string, inFolder: boolean): Generator<ImportResult> {
    try {
      using file = new SourceFile(path);
      const sources = sourcesIn(file);
      if (typeof sources === "string")
        return yield { file: path, status: "skipped", reason: sources };
      const { length } = sources;
      for (const [done, source] of sources.entries()) {
        const { agent, id, title, isSubagent } = source.info;
        if (length > 1) io.progress?.(done, length, title ?? id);
        const outcome =
          isSubagent && (inFolder || length > 1)
            ? skipped("is the conversation of a subagent")
            : place(source, path);
        yield { file: path, agent, id, ...outcome };
      }
    } catch (error) {
      const reason = systemReasons[errorCode(error)] ?? messageOf(error);
      yield { file: path, status: "failed", reason };
    }
  }

  function place(source: ReadResult, path: string): Outcome {
    if (!source.hasConversation) return skipped("contains no conversation");
    const { info } = source;
    const earlier = index.find(info);
    const [latest] = earlier;
    const title = info.title ?? `session ${info.id}`;
    if (latest && latest.bytes >= info.bytes) {
      const { session, file: log } = latest;
      return { status: "known", session, log, title, reason: "already imported" };
    }
    const written = write(source, path);
    if (written.status !== "imported" || !latest) return written;
    const reasons = [written.reason, ...earlier.map(replaceEarlier)].filter(Boolean);
    return { ...written, status: "updated", reason: reasons.join("; ") };
  }

  function write(source: ReadResult, path: string): Outcome {
    const { info } = source;
    const own = folderOf(info);
    const cwd = own ?? io.cwd;
    const session = index.nameFor(info);
    const draft = new LogImporter(join(io.paths.sessions, projectName(cwd)), session);
    try {
      const written = writeSession(source, path, session, cwd, draft, destination);
      if (written.conversation === 0) return skipped("contains no conversation");
      // Lists show it at the time it happened; a wrong clock must not keep it on top forever.
      draft.finish(Math.min(Math.max(written.lastMs, 0), Date.now()));
      index.put(info, draft.file);
      const { file: log, entries } = draft;
      const reason = own === null ? "its folder is unknown, so it is filed under this one" : "";
      const { title } = written;
      const { kinds } = source.skipped;
      return { status: "imported", session, log, cwd, title, entries, reason, skipped: kinds };
    } finally {
      draft.discard();
    }
  }
}

/** Removes an earlier, shorter import, unless it was continued here. */
function replaceEarlier({ session, file, isUntouched }: Earlier): string {
  const kept = (why: string): string => `kept the earlier import ${session}, which ${why}`;
  if (!isUntouched) return kept("was continued here");
  try {
    removeSession(file);
    return `replaces ${session}`;
  } catch {
    return kept("is open");
  }
}

const systemReasons: Record<string, string> = {
  ENOENT: "it does not exist",
  EACCES: "you have no permission to read it",
  EPERM: "you have no permission to read it",
  EISDIR: "it is a folder",
};
