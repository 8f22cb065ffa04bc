/** Pages that need no network, and untrusted text in them. */

/** Control characters, and those that reverse text, become visible. */
export const withoutControls = (text: string): string =>
  text.toWellFormed().replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "\u{fffd}");

/** For an element or a quoted attribute. */
export const escapeHtml = (text: string): string =>
  withoutControls(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/**
 * A page up to the start of its body. It may run only that script, and requests nothing. `title` is
 * plain text.
 */
export function pageStart(page: { title: string; style: string; script?: string }): string {
  const { title, style, script } = page;
  const hash = script && Bun.CryptoHasher.hash("sha256", script, "base64");
  const policy = [
    "default-src 'none'; style-src 'unsafe-inline'",
    ...(hash ? [`script-src 'sha256-${hash}'`] : []),
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
`;
}

export const pageEnd = "</body>\n</html>\n";
