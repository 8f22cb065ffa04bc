import { fileRewindOf, routeTo } from "../agent/rewind.ts";
import { planRewind } from "../log/rewind-files.ts";
import { entryNamed } from "../print/wire.ts";
import type { HeadlessRun } from "./headless-run.ts";

/** The answer to a client that wants the files as they were at a message; it waits for the turn. */
export async function rewindTo(
  message: string,
  isPreview: boolean,
  { log, jobs }: Pick<HeadlessRun, "log" | "jobs">,
): Promise<{ canRewind: boolean; error?: string; filesChanged?: string[] }> {
  const found = entryNamed(message, log.path);
  if (found?.type !== "user")
    return { canRewind: false, error: `The session has no message ${message}.` };
  const steps = await planRewind(fileRewindOf(routeTo(log, found.id)));
  const filesChanged = steps.flatMap(({ how, path }) => (how === "keep" ? [] : [path]));
  if (!isPreview) {
    const command = { type: "rewind", to: found.id, files: true, conversation: false } as const;
    const { promise, resolve } = Promise.withResolvers<void>();
    jobs.push({ command, done: resolve });
    await promise;
  }
  return { canRewind: true, filesChanged };
}
