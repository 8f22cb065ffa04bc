import { takeStart } from "../protocol/clip.ts";

/**
 * What a server said, ready to be quoted in an error: without the key, without control characters,
 * and short enough to read.
 */
export function quote(said: string, secret: string | null): string {
  const hidden = secret === null || secret === "" ? said : said.replaceAll(secret, "[key]");
  return takeStart(hidden.replace(/\p{Cc}+/gu, " ").trim(), 500).toWellFormed();
}
