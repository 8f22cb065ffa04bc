/** Reads errors thrown by `fetch`, which differ by runtime and nest the cause several levels deep. */

import { messageOf } from "../protocol/in-words.ts";

const unreachableCodes = new Set([
  "ConnectionRefused",
  "FailedToOpenSocket",
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "DNSException",
]);

/** No connection was made, so an immediate retry is unlikely to help. */
export function isUnreachable(error: unknown): boolean {
  for (let depth = 0; error instanceof Error && depth < 5; depth += 1, error = error.cause) {
    if ("code" in error && typeof error.code === "string" && unreachableCodes.has(error.code))
      return true;
    if (/unable to connect|ECONNREFUSED|ENOTFOUND|getaddrinfo/i.test(error.message)) return true;
  }
  return false;
}

/** The innermost cause, in a few words. */
export function reasonOf(error: unknown): string {
  let inner = error;
  for (
    let depth = 0;
    inner instanceof Error && inner.cause instanceof Error && depth < 5;
    depth += 1
  )
    inner = inner.cause;
  if (inner == null) return "connection lost";
  return messageOf(inner).replace(/\s+/g, " ").trim() || "no reason given";
}
