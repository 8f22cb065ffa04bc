/**
 * A web page as Markdown. The page is hostile: it is read tag by tag, in one pass and without a tree,
 * so that neither its nesting nor its size can make this slow. Tags that are never closed are common.
 */

import { decodeHTML, decodeHTMLAttribute } from "entities/decode";

/** Parts of a page that are not its content. */
const leftOut =
  "script, style, noscript, template, iframe, svg, nav, form, footer, head > :not(title)";

/** Markdown written for an opening and a closing tag. */
const marks = new Map<string, readonly [open: string, close: string]>([
  ...[1, 2, 3, 4, 5, 6].map(
    (level) => [`h${level}`, [`\n\n${"#".repeat(level)} `, "\n\n"]] as const,
  ),
  ..."p div section article main dl dt dd figure figcaption blockquote details summary table"
    .split(" ")
    .map((name) => [name, ["\n\n", "\n\n"]] as const),
  ["title", ["# ", "\n\n"]],
  ["br", ["\n", ""]],
  ["pre", ["\n\n```\n", "\n```\n\n"]],
  ["tr", ["\n", "|"]],
  ["td", ["| ", " "]],
  ["th", ["| ", " "]],
]);

const maxIndent = 10;

/** Characters of a page that are read; the rest is left out. */
const maxHtml = 2_000_000;

export function pageText(html: string, url: URL): string {
  const parts: string[] = [];
  let lists = 0;
  let isCode = false;
  /** Where the text of the open link begins, and where it leads. */
  let link: { at: number; href: string } | null = null;

  function open(name: string, attribute: (name: string) => string): void {
    if (name === "pre") isCode = true;
    if (name === "a") link = { at: parts.length, href: attribute("href") };
    if (name === "code" && !isCode) parts.push("`");
    if (name === "li")
      parts.push(`\n${"  ".repeat(Math.min(Math.max(0, lists - 1), maxIndent))}- `);
    if ((name === "ul" || name === "ol") && lists++ === 0) parts.push("\n\n");
    const alt = name === "img" ? decodeHTMLAttribute(attribute("alt")).trim() : "";
    if (alt !== "") parts.push(`[image: ${alt.replace(/\s+/g, " ")}]`);
    parts.push(marks.get(name)?.[0] ?? "");
  }

  function close(name: string): void {
    parts.push(marks.get(name)?.[1] ?? "");
    if (name === "pre") isCode = false;
    if (name === "code" && !isCode) parts.push("`");
    if ((name === "ul" || name === "ol") && --lists === 0) parts.push("\n\n");
    if (name !== "a" || link === null) return;
    const { at, href } = link;
    link = null;
    const words = parts.slice(at).join("").trim();
    const to = URL.parse(decodeHTMLAttribute(href), url.href);
    const isLink = words !== "" && !isCode && !href.startsWith("#");
    if (isLink && to && /^https?:$/.test(to.protocol))
      parts.splice(at, Infinity, `[${words}](${to.href})`);
  }

  const kept = new HTMLRewriter()
    .on(leftOut, { element: (element) => void element.remove() })
    .transform(html.slice(0, maxHtml));
  new HTMLRewriter()
    .on("*", {
      element(element) {
        const name = element.tagName.toLowerCase();
        open(name, (attribute) => element.getAttribute(attribute) ?? "");
        if (element.canHaveContent) element.onEndTag(() => close(name));
      },
    })
    // Also the text outside of all elements.
    .onDocument({
      text({ text }) {
        const decoded = decodeHTML(text).replaceAll("\u00a0", " ");
        parts.push(isCode ? decoded : decoded.replace(/\s+/g, " "));
      },
    })
    .transform(kept);
  if (isCode) close("pre");
  return (
    parts
      .join("")
      // A fence begins a line: a search from every ``` in the text would take forever on a hostile page.
      .split(/(?<=\n)(```[\s\S]*?\n```)/)
      .map((part, at) => (at % 2 === 1 ? part : tidy(part).trim()))
      .filter((part) => part !== "")
      .join("\n\n")
  );
}

/** Line by line: a pattern over all of the text could take forever on a hostile one. */
function tidy(text: string): string {
  const lines = text.split("\n").map((line) => {
    const words = line.trim().replace(/ {2,}/g, " ");
    return words.startsWith("- ")
      ? " ".repeat(line.length - line.trimStart().length) + words
      : words;
  });
  const isRepeated = (at: number): boolean => lines[at] === "" && lines[at - 1] === "";
  return lines.filter((_, at) => !isRepeated(at)).join("\n");
}
