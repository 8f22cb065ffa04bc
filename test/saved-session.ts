import type { Paths } from "../src/config/paths.ts";
import { createLog, type LogStore } from "../src/log/store.ts";
import type { Fact, SessionFact } from "../src/protocol/entry.ts";
import { sessionWith } from "./facts.ts";

/** A session on disk with these facts; closed. */
export async function closedLog(
  folder: string,
  facts: readonly Fact[],
  name?: string,
): Promise<LogStore> {
  const log = createLog(folder, name);
  await Promise.all(facts.map((fact) => log.append(fact)));
  await log.close();
  return log;
}

/** A session on disk, with a prompt; closed. */
export const savedSession = (
  { projectSessions }: Pick<Paths, "projectSessions">,
  session: string,
  text = "hello",
  began: Partial<SessionFact> = {},
): Promise<LogStore> =>
  closedLog(
    projectSessions,
    [
      { ...sessionWith(), session, ...began },
      { type: "user", content: [{ type: "text", text }] },
    ],
    session,
  );
