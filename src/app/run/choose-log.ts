import { existsSync } from "node:fs";
import { join } from "node:path";
import { orUsageError, UsageError } from "../../config/usage-error.ts";
import type { Paths } from "../../config/paths.ts";
import type { SessionFlags } from "../../config/flags.ts";
import { findSession, isOfUser, latestFile, listSessions } from "../../log/catalog.ts";
import { forkLog } from "../../log/new-session.ts";
import { createLog, type LogStore, openEndFirst, openLog } from "../../log/store.ts";
import { clipLine } from "../../base/clip.ts";

/**
 * The log that this run writes to: a new one, the latest of the folder, the named one (a unique
 * prefix is enough), or a copy of it; of a long one only the end is read yet. `newName`: what a new
 * session is called unless a flag names it.
 * Throws `UsageError` or `LogError`.
 */
export async function chooseLog(
  { resume, fork, sessionId }: SessionFlags,
  paths: Paths,
  newName?: string,
  /** Where a new session is kept. */
  folder: string = paths.projectSessions,
): Promise<LogStore> {
  const name = sessionId ?? newName;
  if (sessionId !== undefined && existsSync(join(paths.projectSessions, `${sessionId}.jsonl`)))
    throw new UsageError(`There is already a session ${sessionId}; continue it with --resume.`);
  if (resume.kind === "new") return createLog(folder, name);
  const file = await fileOf(resume, paths.projectSessions);
  const copies = fork || folder !== paths.projectSessions;
  if (copies) return openLog(forkLog(file, null, folder, name));
  const log = await openEndFirst(file);
  if (log.readOnly === null) return log;
  await log.close();
  throw new UsageError(`${log.readOnly} It cannot be resumed; export or fork it instead.`);
}

/** Sessions that `--resume` without a name lists. */
const listed = 10;

async function fileOf(resume: SessionFlags["resume"], folder: string): Promise<string> {
  const latest = await latestFile(folder);
  if (latest === null) {
    const hint = resume.kind === "latest" ? "; start one without --continue" : "";
    throw new UsageError(`This folder has no session yet${hint}.`);
  }
  if (resume.kind === "latest") return latest;
  if (resume.kind === "session") {
    const sessions = await listSessions(folder, resume.id);
    return orUsageError(() => findSession(sessions, resume.id)).file;
  }
  const own = (await listSessions(folder)).filter(isOfUser);
  const lines = own.slice(0, listed).map(({ session, title }) => {
    return `\n  ${session}  ${clipLine(title.replace(/\p{Cc}+/gu, " "), 60)}`;
  });
  throw new UsageError(`--resume needs the name of a session:${lines.join("")}`);
}
