import type { Paths } from "../src/config/paths.ts";
import { createLog, type LogStore } from "../src/log/store.ts";
import type { SessionFact } from "../src/protocol/entry.ts";
import { sessionWith } from "./facts.ts";

/** A session on disk, with a prompt; closed. */
export async function savedSession(
  { projectSessions }: Pick<Paths, "projectSessions">,
  session: string,
  prompt = "hello",
  began: Partial<SessionFact> = {},
): Promise<LogStore> {
  const log = createLog(projectSessions, session);
  await log.append({ ...sessionWith(), session, ...began });
  await log.append({ type: "user", content: [{ type: "text", text: prompt }] });
  await log.close();
  return log;
}
