/**
 * Lays out Markdown as lines of a given width. Bun's parser passes children as strings, so a block is
 * represented in its parent's string by its number between control characters, which sanitized text
 * cannot contain; its width is known once its parent is laid out.
 */

import { highlight } from "../code/highlight.ts";
import { sanitize } from "../sanitize.ts";
import type { Theme } from "../theme.ts";
import { pad, wrapAnywhere, wrapWords } from "../painted-text.ts";

/** Longer addresses are shown, not linked. */
const maxChars = 2_000;

/** Schemes that are safe to open; a file, or a scheme of some program, may run something. */
const schemes: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** `text` as a link, or unchanged if the address could do more than open a page. */
function hyperlink(text: string, address: string): string {
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

type MarkdownBlock = { kind: "text" | "list" | "other"; lines(width: number): string[] };

/** Lines of a code block that were laid out before, without its head. */
export type LaidOutCode = (
  source: string,
  language: string,
  width: number,
) => readonly string[] | undefined;

/** Lines of at most `width` columns, with an empty line between blocks. */
export function layoutMarkdown(
  source: string,
  width: number,
  theme: Theme,
  known?: LaidOutCode,
): string[] {
  const blocks: MarkdownBlock[] = [];
  const mark = (lines: MarkdownBlock["lines"], kind: MarkdownBlock["kind"] = "other"): string =>
    `\x01${blocks.push({ kind, lines }) - 1}\x02`;
  const inside = (children: string): MarkdownBlock[] => splitBlocks(children, blocks);
  let rows: TableCell[][] = [];
  let row: TableCell[] = [];
  const cell =
    (isHead: boolean) =>
    (text: string, meta?: Bun.markdown.CellMeta): string => {
      row.push({ text: text.replaceAll("\n", " "), isHead, align: meta?.align ?? "left" });
      return "";
    };
  const rest = Bun.markdown.render(
    sanitize(source),
    {
      heading: (children, { level }) =>
        mark((room) => {
          const role = level < 3 ? "heading" : "strong";
          return stacked(inside(children), room).map((line) => theme.paint(role, line));
        }),
      paragraph: (children) => mark((room) => stacked(inside(children), room), "text"),
      blockquote: (children) =>
        mark((room) => {
          const bar = theme.paint("quote", "│ ");
          return stacked(inside(children), room - 2).map((line) => bar + line);
        }),
      code: (text, meta) =>
        mark((room) =>
          codeBlock(text.trimEnd(), sanitize(meta?.language ?? ""), room, theme, known),
        ),
      list: (children) =>
        mark((room) => inside(children).flatMap((item) => item.lines(room)), "list"),
      listItem(children, meta) {
        const bullet = toBullet(meta);
        const indent = Bun.stringWidth(bullet) + 1;
        return mark((room) => {
          const lines = stacked(inside(children), room - indent, "item");
          const first = `${theme.paint("accent", bullet)} `;
          return (lines.length === 0 ? [""] : lines).map((line, at) =>
            at === 0 ? first + line : line === "" ? "" : " ".repeat(indent) + line,
          );
        });
      },
      hr: () => mark((room) => [theme.paint("dim", "─".repeat(Math.max(1, room)))]),
      th: cell(true),
      td: cell(false),
      tr() {
        rows.push(row);
        row = [];
        return "";
      },
      thead: () => "",
      tbody: () => "",
      table() {
        const all = rows;
        rows = [];
        return mark((room) => layoutTable(all, room, theme));
      },
      html: (text) => text,
      strong: (text) => theme.paint("strong", text),
      emphasis: (text) => theme.paint("emphasis", text),
      strikethrough: (text) => theme.paint("strike", text),
      codespan: (text) => theme.paint("code", text),
      link: (text, meta) => link(text, meta.href, theme),
      image: (text, meta) => link(text === "" ? "image" : text, meta.src, theme),
      text: (text) => sanitize(text),
    },
    { autolinks: true },
  );
  return stacked(inside(rest), width);
}

/** Replaces marks by their blocks; text between marks becomes a block of its own. */
function splitBlocks(children: string, blocks: readonly MarkdownBlock[]): MarkdownBlock[] {
  // eslint-disable-next-line no-control-regex -- the marks
  return children.split(/\x01(\d+)\x02/).flatMap((piece, index): MarkdownBlock[] => {
    if (index % 2 === 1) return blocks.slice(Number(piece), Number(piece) + 1);
    if (piece.trim() === "") return [];
    return [{ kind: "text", lines: (width) => wrapWords(piece.replace(/^\n|\n$/g, ""), width) }];
  });
}

/** Blocks below each other. In an item, no empty line is between text and a nested list. */
function stacked(blocks: readonly MarkdownBlock[], width: number, parent?: "item"): string[] {
  const lines: string[] = [];
  for (const [index, { kind, lines: own }] of blocks.entries()) {
    const isTight = parent === "item" && kind === "list" && blocks[index - 1]?.kind === "text";
    if (index > 0 && !isTight) lines.push("");
    // Spreading the lines of a huge code block would overflow the stack.
    for (const line of own(width)) lines.push(line);
  }
  return lines;
}

function toBullet({ checked, ordered, index, start }: Bun.markdown.ListItemMeta): string {
  if (checked !== undefined) return checked ? "☑" : "☐";
  return ordered ? `${(start ?? 1) + index}.` : "•";
}

/** Always shows the address: the text may name a different one. */
function link(text: string, href: string, theme: Theme): string {
  const address = sanitize(href).replaceAll(/\s/g, "");
  const shown = theme.paint("link", text);
  const isNamed = address === "" || address === text || address === `mailto:${text}`;
  const both = isNamed ? shown : `${shown} ${theme.paint("dim", `(${address})`)}`;
  return hyperlink(both, address);
}

function codeBlock(
  text: string,
  language: string,
  width: number,
  theme: Theme,
  known?: LaidOutCode,
): string[] {
  const lines = codeHead(language, theme);
  const before = known?.(text, language, width);
  if (before) return lines.concat(before);
  // Spreading the lines of a huge block would overflow the stack.
  for (const line of highlight(text, language, theme))
    for (const piece of codeLine(line, width, theme)) lines.push(piece);
  return lines;
}

export const codeHead = (language: string, theme: Theme): string[] =>
  language === "" ? [] : [theme.paint("dim", `▏${language}`)];

export const codeLine = (line: string, width: number, theme: Theme): string[] =>
  wrapAnywhere(line, width - 1).map((piece) => theme.paint("dim", "▏") + piece);

type TableCell = { text: string; isHead: boolean; align: "left" | "right" | "center" };

const cellGap = 3;

/** A table, its cells wrapped where the screen is too narrow. */
function layoutTable(
  rows: readonly (readonly TableCell[])[],
  width: number,
  theme: Theme,
): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  if (count === 0) return [];
  const wanted = Array.from({ length: count }, (_, column) =>
    Math.max(1, ...rows.map((row) => Bun.stringWidth(row[column]?.text ?? ""))),
  );
  const widths = share(wanted, width - cellGap * (count - 1));
  const bar = theme.paint("dim", " │ ");
  const lines: string[] = [];
  for (const row of rows) {
    const wrapped = widths.map((w, column) => {
      const { text = "" } = row[column] ?? {};
      return Bun.stringWidth(text) <= w ? [text] : wrapWords(text, w);
    });
    const height = Math.max(...wrapped.map((cell) => cell.length));
    const isHead = row.some((cell) => cell.isHead);
    for (let line = 0; line < height; line++) {
      const pieces = widths.map((w, column) => {
        const text = wrapped[column]?.[line] ?? "";
        return aligned(
          isHead ? theme.paint("strong", text) : text,
          w,
          row[column]?.align ?? "left",
        );
      });
      lines.push(pieces.join(bar).trimEnd());
    }
    if (isHead) lines.push(theme.paint("dim", widths.map((w) => "─".repeat(w)).join("─┼─")));
  }
  return lines;
}

/** Shrinks the widest columns first, until the row fits or every column is one cell wide. */
function share(wanted: number[], room: number): number[] {
  const widths = [...wanted];
  for (let over = widths.reduce((sum, w) => sum + w, 0) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 1) <= 1) break;
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return widths;
}

function aligned(text: string, width: number, align: TableCell["align"]): string {
  const room = Math.max(0, width - Bun.stringWidth(text));
  if (align === "right") return " ".repeat(room) + text;
  if (align === "center") return pad(" ".repeat(room >> 1) + text, width);
  return pad(text, width);
}
