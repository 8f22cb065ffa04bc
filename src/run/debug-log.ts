/**
 * The debug log: what the session's own log doesn't hold. Loaded only with `--debug` or
 * `MINI_CLAUDE_DEBUG`. No key reaches it: values of variables that are named like secrets are replaced,
 * and headers are shown by an allow-list.
 */

import { appendFileSync, fchmodSync, fstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { Environment } from "../base/environment.ts";
import { attempt } from "../base/guards.ts";
import { counted, errorMessage } from "../base/format.ts";
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

  /** Passes requests on, and writes them without keys and bodies. */
  const tracing =
    (fetch: Fetch): Fetch =>
    async (input, init) => {
      const request = input instanceof Request ? input : undefined;
      const { origin, pathname } = new URL(request?.url ?? String(input));
      // Without a password or a query, which may hold a key.
      const call = `${init?.method ?? request?.method ?? "GET"} ${origin}${pathname}`;
      const { body } = init ?? {};
      const hasSize = typeof body === "string" || body instanceof Uint8Array;
      const size = hasSize ? `, ${counted(Buffer.byteLength(body), "byte")}` : "";
      write("http", `${call}${size}, ${showHeaders(init?.headers ?? request?.headers)}`);
      const startMs = performance.now();
      const elapsed = (): string => `${Math.round(performance.now() - startMs)} ms`;
      try {
        const response = await fetch(input, init);
        const { status, headers } = response;
        write("http", `${call}: ${status} after ${elapsed()}, ${showHeaders(headers)}`);
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

/** Headers whose values are shown. Any other may hold a key. */
const shownHeaders =
  /^(accept|content-type|content-length|user-agent|anthropic-(version|beta)|(x-)?request-id|retry-after|anthropic-ratelimit-.*|x-stainless-.*)$/i;

const showHeaders = (headers: ConstructorParameters<typeof Headers>[0]): string =>
  [...new Headers(headers)]
    .map(([name, value]) => `${name}: ${shownHeaders.test(name) ? value : "[hidden]"}`)
    .join("; ");
