import { join } from "node:path";
import { UsageError, type Flags } from "../config/flags.ts";
import type { Paths } from "../config/paths.ts";
import { listSessions } from "../log/catalog.ts";
import { createLog, openLog, type LogStore } from "../log/store.ts";

/**
 * The log that this run writes to: a new one, the latest of the folder, or the one that was named
 * (the beginning of its name is enough). Throws `UsageError` or `LogError`.
 */
export async function chooseLog(resume: Flags["resume"], paths: Paths): Promise<LogStore> {
  if (resume.kind === "new") return createLog(paths.projectSessions);
  const sessions = await listSessions(paths.projectSessions);
  const named =
    resume.kind === "session"
      ? sessions.filter(({ session }) => session.startsWith(resume.id))
      : sessions;
  const [first, second] = named;
  if (resume.kind === "pick" && first) {
    const list = sessions
      .slice(0, 10)
      .map(
        ({ session, title }) => `\n  ${session}  ${title.replace(/\p{Cc}+/gu, " ").slice(0, 60)}`,
      );
    throw new UsageError(`--resume needs the beginning of a session's name:${list.join("")}`);
  }
  if (!first) {
    throw new UsageError(
      resume.kind === "session"
        ? `There is no session “${resume.id}” of this folder in ${paths.projectSessions}.`
        : `There is no session of this folder yet in ${paths.projectSessions}; start one without --continue.`,
    );
  }
  if (resume.kind === "session" && second && first.session !== resume.id) {
    throw new UsageError(
      `“${resume.id}” is the beginning of ${named.length} sessions; give more of its name.`,
    );
  }
  const log = openLog(join(paths.projectSessions, `${first.session}.jsonl`));
  if (log.readOnly === null) return log;
  await log.close();
  throw new UsageError(`${log.readOnly} It cannot be gone on with; export or fork it instead.`);
}
