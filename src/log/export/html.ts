import type { Entry } from "../../protocol/entry.ts";
import { pageOf, type ExportItem } from "./items.ts";

/**
 * Exports a path as one self-contained HTML page. All text is untrusted: it is escaped, and the page
 * forbids scripts and requests.
 */
export function exportHtml(path: readonly Entry[]): string {
  const { title, about, items } = pageOf(path);
  const facts = about.map(([name, value]) => `<dt>${escape(name)}</dt><dd>${escape(value)}</dd>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escape(title)}</h1>
<dl>${facts.join("")}</dl>
${items.map(section).join("\n")}
</body>
</html>
`;
}

function section({ kind, heading, text }: ExportItem): string {
  const body = text === "" ? "" : `<pre>${escape(text)}</pre>`;
  // Messages are shown; tool calls and results open on a click.
  return kind === "user" || kind === "assistant" || text === ""
    ? `<section class="${kind}"><h2>${escape(heading)}</h2>${body}</section>`
    : `<details class="${kind}"><summary>${escape(heading)}</summary>${body}</details>`;
}

const escape = (text: string): string =>
  text
    .toWellFormed()
    // Control characters are not allowed in HTML.
    .replace(/[^\P{Cc}\n\t]/gu, "\u{fffd}")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

const style = `
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color-scheme: light dark; }
dl { display: grid; grid-template-columns: max-content auto; gap: 0 1rem; opacity: .7; }
dd { margin: 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .25rem 0 1rem; }
h2, summary { font-size: 1rem; font-weight: 600; }
section.user pre { border-left: 3px solid; padding-left: .75rem; }
section.user pre, section.assistant pre { font: inherit; }
details, section.info { opacity: .75; }
`;
