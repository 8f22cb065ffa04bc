import type { Paths } from "../src/config/paths.ts";
import { createLog, type LogStore } from "../src/log/store.ts";
import { sessionWith } from "./facts.ts";

/** A session on disk, with a prompt; closed. */
export async function savedSession(
  paths: Paths,
  name: string,
  prompt = "hello",
): Promise<LogStore> {
  const log = createLog(paths.projectSessions, name);
  await log.append({ ...sessionWith(), session: name });
  await log.append({ type: "user", content: [{ type: "text", text: prompt }] });
  await log.close();
  return log;
}
