/** Links that a terminal opens on a click (OSC 8). */

/** Longer addresses are shown, not linked. */
const maxChars = 2_000;

/** Schemes that are safe to open; a file, or a scheme of some program, may run something. */
const schemes: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** `text` as a link, or unchanged if the address could do more than open a page. */
export function hyperlink(text: string, address: string): string {
  const url = URL.parse(address);
  if (!url || !schemes.has(url.protocol) || url.href.length > maxChars) return text;
  // `URL` percent-encodes everything else.
  if (!/^[\x21-\x7e]+$/.test(url.href)) return text;
  return `\x1b]8;;${url.href}\x07${text}\x1b]8;;\x07`;
}

// eslint-disable-next-line no-control-regex -- the codes that `hyperlink` writes
const codes = /\x1b\]8;;[\x20-\x7e]*(?:\x07|\x1b\\)/g;

/** For terminals that would print the codes. */
export const withoutHyperlinks = (row: string): string => row.replace(codes, "");
