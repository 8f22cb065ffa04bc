import { basename } from "node:path";
import type { Paths } from "../config/paths.ts";
import { forkLog } from "../log/fork.ts";
import { createLog, openLog, type LogStore } from "../log/store.ts";
import type { Next } from "../tui/types.ts";
import { chooseLog } from "./choose-log.ts";

/**
 * The session that follows a closed one on the same terminal. When it cannot be opened, the closed
 * one goes on, with a sentence why.
 */
export async function openNext(
  next: Next,
  closed: LogStore,
  paths: Paths,
): Promise<{ log: LogStore; notices: string[] }> {
  try {
    switch (next.kind) {
      case "new":
        return { log: createLog(paths.projectSessions), notices: [] };
      case "session":
        return { log: await chooseLog({ kind: "session", id: next.session }, paths), notices: [] };
      case "fork":
        return await fork(closed, next.title, paths);
      case "server":
      case "key":
        return { log: again(closed, paths), notices: [] };
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { log: again(closed, paths), notices: [why] };
  }
}

/** A session that holds nothing yet has no file. */
const again = (closed: LogStore, paths: Paths): LogStore =>
  closed.path.length === 0 ? createLog(paths.projectSessions) : openLog(closed.file);

async function fork(
  closed: LogStore,
  title: string,
  paths: Paths,
): Promise<{ log: LogStore; notices: string[] }> {
  if (closed.path.length === 0) throw new Error("There is nothing to fork yet.");
  const log = openLog(forkLog(closed.file, closed.head, paths.projectSessions));
  if (title !== "") await log.append({ type: "note", kind: "title", text: title });
  const from = basename(closed.file, ".jsonl");
  return { log, notices: [`Forked from ${from}, which stays as it is.`] };
}
