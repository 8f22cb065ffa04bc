/**
 * The debug log: facts that the session log does not hold. Loaded only with `--debug` or
 * `MINI_CLAUDE_DEBUG`. No key reaches it: values of variables that are named like secrets are replaced.
 */

import { appendFileSync, fchmodSync, fstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { Environment } from "../base/environment.ts";
import { attempt } from "../base/guards.ts";
import { errorMessage } from "../base/format.ts";
import type { Fetch } from "../model/network.ts";

export type DebugLog = ReturnType<typeof createDebugLog>;

const secretName = /KEY|TOKEN|SECRET|PASSWORD/i;

/** Shorter values occur in ordinary text. */
const minSecretChars = 8;

/** Only the user can read the file (0600). Throws when it cannot be opened. */
export function createDebugLog(file: string, env: Environment) {
  const secrets = Object.entries(env).flatMap(([name, value = ""]) =>
    secretName.test(name) && value.trim().length >= minSecretChars ? [value.trim()] : [],
  );
  // Open until the process ends: the last lines of a run that fails matter most.
  const fd = openPrivate(file);

  /** One event on one line. A full disk must not stop the program: what cannot be written is dropped. */
  function write(topic: string, text: string): void {
    const clean = secrets
      .reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text)
      .replace(/\p{Cc}+/gu, " ");
    const line = `${new Date().toISOString()}  ${topic.padEnd(9)} ${clean}\n`;
    attempt(() => appendFileSync(fd, line), undefined);
  }

  /** Passes requests on, and writes them without headers and bodies. */
  const tracing =
    (fetch: Fetch): Fetch =>
    async (input, init) => {
      const request = input instanceof Request ? input : undefined;
      const { origin, pathname } = new URL(request?.url ?? String(input));
      // Without a password or a query, which may hold a key.
      const call = `${init?.method ?? request?.method ?? "GET"} ${origin}${pathname}`;
      write("http", call);
      const startMs = performance.now();
      const elapsed = (): string => `${Math.round(performance.now() - startMs)} ms`;
      try {
        const response = await fetch(input, init);
        const { status, headers } = response;
        const id = headers.get("request-id") ?? headers.get("x-request-id") ?? "none";
        write("http", `${call}: ${status} after ${elapsed()}, request id ${id}`);
        return response;
      } catch (error) {
        write("http", `${call}: failed after ${elapsed()}: ${errorMessage(error)}`);
        throw error;
      }
    };

  return { file, write, tracing };
}

function openPrivate(file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const fd = openSync(file, "a", 0o600);
    if (fstatSync(fd).isFile()) fchmodSync(fd, 0o600);
    return fd;
  } catch (error) {
    const reason = `The debug log ${file} cannot be opened: ${errorMessage(error)}`;
    throw new Error(reason, { cause: error });
  }
}
