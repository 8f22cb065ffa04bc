/**
 * What a server said, fit to stand in a sentence of ours: without the key, without control
 * characters, and not longer than a person reads.
 */
export function quote(said: string, secret: string | null): string {
  const hidden = secret === null || secret === "" ? said : said.replaceAll(secret, "[key]");
  return hidden
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, 500);
}
