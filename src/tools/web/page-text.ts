/**
 * A web page as Markdown. The page is hostile: it is read tag by tag, in one pass and without a tree,
 * so that neither its nesting nor its size can make this slow. Tags that are never closed are common.
 */

import { decodeHTML, decodeHTMLAttribute } from "entities/decode";

/** Parts of a page that are not its content. */
const leftOut =
  "script, style, noscript, template, iframe, svg, nav, form, footer, head > :not(title)";

const blocks = new Set(
  "p div section article main header aside dl dt dd figure figcaption blockquote details summary".split(
    " ",
  ),
);

const maxIndent = 10;

/** Characters of a page that are read; the rest is left out. */
const maxHtml = 2_000_000;

export function pageText(html: string, url: URL): string {
  const page = new PageWriter(url);
  const kept = new HTMLRewriter()
    .on(leftOut, { element: (element) => void element.remove() })
    .transform(html.slice(0, maxHtml));
  new HTMLRewriter()
    .on("*", {
      element(element) {
        const name = element.tagName.toLowerCase();
        page.open(name, (attribute) => element.getAttribute(attribute) ?? "");
        if (element.canHaveContent) element.onEndTag(() => page.close(name));
      },
      text: ({ text }) => page.text(text),
    })
    .transform(kept);
  return page.markdown();
}

class PageWriter {
  readonly #url: URL;
  #parts: string[] = [];
  #lists = 0;
  #isCode = false;
  /** Where the text of the open link begins, and where it leads. */
  #link: { at: number; href: string } | null = null;
  /** Cells of the open row, and rows so far of the open table. */
  #cells = 0;
  #rows = 0;

  constructor(url: URL) {
    this.#url = url;
  }

  text(raw: string): void {
    const text = decodeHTML(raw).replaceAll("\u00a0", " ");
    this.#parts.push(this.#isCode ? text : text.replace(/\s+/g, " "));
  }

  open(name: string, attribute: (name: string) => string): void {
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined) this.#parts.push(`\n\n${"#".repeat(Number(level))} `);
    else if (name === "title") this.#parts.push("# ");
    else if (name === "br") this.#parts.push("\n");
    else if (name === "li")
      this.#parts.push(`\n${"  ".repeat(Math.min(Math.max(0, this.#lists - 1), maxIndent))}- `);
    else if (name === "pre") {
      this.#isCode = true;
      this.#parts.push("\n\n```\n");
    } else if (name === "code") this.#codeOpened(attribute("class"));
    else if (name === "a") this.#link = { at: this.#parts.length, href: attribute("href") };
    else if (name === "img") {
      const alt = decodeHTMLAttribute(attribute("alt")).replace(/\s+/g, " ").trim();
      if (alt !== "") this.#parts.push(`[image: ${alt}]`);
    } else if (name === "table") {
      this.#rows = 0;
      this.#parts.push("\n\n");
    } else if (name === "tr") {
      this.#closeRow();
      this.#parts.push("\n");
    } else if (name === "td" || name === "th") this.#parts.push(this.#cells++ === 0 ? "| " : " | ");
    if (blocks.has(name) && this.#cells === 0) this.#parts.push("\n\n");
    if ((name === "ul" || name === "ol") && this.#lists++ === 0) this.#parts.push("\n\n");
  }

  close(name: string): void {
    if (/^h[1-6]$/.test(name) || name === "title" || name === "table") this.#parts.push("\n\n");
    else if (name === "pre") this.#closeCode();
    else if (name === "code" && !this.#isCode) this.#parts.push("`");
    else if (name === "a") this.#closeLink();
    else if (name === "tr") this.#closeRow();
    else if (name === "ul" || name === "ol") {
      this.#lists = Math.max(0, this.#lists - 1);
      if (this.#lists === 0) this.#parts.push("\n\n");
    }
    if (blocks.has(name) && this.#cells === 0) this.#parts.push("\n\n");
  }

  markdown(): string {
    if (this.#isCode) this.#closeCode();
    return (
      this.#parts
        .join("")
        // A fence begins a line: a search from every ``` in the text would take forever on a hostile page.
        .split(/(?<=\n)(```[\s\S]*?\n```)/)
        .map((part, at) => (at % 2 === 1 ? part : tidy(part).trim()))
        .filter((part) => part !== "")
        .join("\n\n")
    );
  }

  #closeCode(): void {
    this.#isCode = false;
    this.#parts.push("\n```\n\n");
  }

  /** In a block of code it names the language. */
  #codeOpened(classes: string): void {
    if (!this.#isCode) return void this.#parts.push("`");
    const language = /\b(?:language|lang|highlight)-([\w+#-]{1,20})/.exec(classes)?.[1];
    const last = this.#parts.length - 1;
    if (language !== undefined && this.#parts[last] === "\n\n```\n")
      this.#parts[last] = `\n\n\`\`\`${language}\n`;
  }

  #closeLink(): void {
    const link = this.#link;
    this.#link = null;
    if (link === null || this.#isCode) return;
    const words = this.#parts.slice(link.at).join("").trim();
    const href = decodeHTMLAttribute(link.href);
    const to = URL.parse(href, this.#url.href);
    if (words === "" || href.startsWith("#") || !to || !/^https?:$/.test(to.protocol)) return;
    this.#parts.splice(link.at, Infinity, `[${words}](${to.href})`);
  }

  #closeRow(): void {
    if (this.#cells === 0) return;
    this.#parts.push(" |");
    if (this.#rows === 0) this.#parts.push(`\n|${" --- |".repeat(this.#cells)}`);
    this.#rows += 1;
    this.#cells = 0;
  }
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
