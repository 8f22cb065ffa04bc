/**
 * Ids of tool calls, in the form that a server accepts. Every server accepts its own; a session
 * that was started elsewhere may have others. Gemini's gateways put a signature into them, so ids
 * are sent unchanged until a server refuses them.
 */

const outsideAlphabet = /[^a-zA-Z0-9_-]/;
const givenMark = "given_";

/**
 * An id as the session keeps it, in the alphabet of the Messages API. One in another alphabet would be
 * replaced there, and the signature in it lost; this one can be turned back.
 */
export const keptId = (given: string): string =>
  outsideAlphabet.test(given) ? givenMark + Buffer.from(given).toString("base64url") : given;

/** The id as the server gave it. */
const givenId = (kept: string): string =>
  kept.startsWith(givenMark)
    ? Buffer.from(kept.slice(givenMark.length), "base64url").toString()
    : kept;

const usualMost = 40;
/** Servers that limit them take at least this many characters. */
const least = 9;

/** The length that a refusal asks for, in characters; null: it is not about ids of calls. */
export function readIdLimit(refusal: string): number | null {
  if (!/tool[_ ]?calls?\b.{0,40}\bid\b|tool_call_id/i.test(refusal)) return null;
  const said = /(?:maximum length|length of|at most)\D{0,10}(\d{1,4})|\{\d*,?(\d{1,4})\}/i.exec(
    refusal,
  );
  // Others say only that it is invalid or unknown, which shorter ids would not fix.
  if (!said) return /too long|invalid|pattern|must be/i.test(refusal) ? usualMost : null;
  return Math.max(least, Math.min(usualMost, Number(said[1] ?? said[2])));
}

/** Letters and digits, as many as asked for, and always the same for an id. */
export const shortId = (id: string, length: number): string =>
  Bun.CryptoHasher.hash("sha256", id, "hex").slice(0, length);

/** The id of a call as the server takes it. */
export const sentId = (id: string, length: number | null): string =>
  length === null ? givenId(id) : shortId(id, length);
