/**
 * Parses Markdown into a small tree of blocks with painted text. Bun's parser passes children as
 * strings, so a block is represented in its parent's string by its number between control characters,
 * which sanitized text cannot contain.
 */

import { sanitize } from "../sanitize.ts";
import type { Theme } from "../theme.ts";
import { hyperlink } from "./hyperlink.ts";

export type Align = "left" | "right" | "center";

export type Node =
  | { kind: "text"; text: string }
  | { kind: "heading"; level: number; children: Node[] }
  | { kind: "paragraph"; children: Node[] }
  | { kind: "quote"; children: Node[] }
  | { kind: "code"; language: string; text: string }
  | { kind: "list"; children: Node[] }
  | { kind: "item"; mark: string; children: Node[] }
  | { kind: "rule" }
  | { kind: "table"; children: Node[] }
  | { kind: "row"; head: boolean; children: Node[] }
  | { kind: "cell"; head: boolean; align: Align; text: string };

/** `start` replaces the first number of an ordered list that is in no other list. */
export function parseMarkdown(source: string, theme: Theme, start?: number): Node[] {
  const nodes: Node[] = [];
  const mark = (node: Node): string => `\x01${nodes.push(node) - 1}\x02`;
  const split = (children: string): Node[] => splitChildren(children, nodes);
  const cell =
    (head: boolean) =>
    (text: string, meta?: { align?: Align }): string =>
      mark({ kind: "cell", head, align: meta?.align ?? "left", text: text.replaceAll("\n", " ") });
  const rest = Bun.markdown.render(
    sanitize(source),
    {
      heading: (children, { level }) => mark({ kind: "heading", level, children: split(children) }),
      paragraph: (children) => mark({ kind: "paragraph", children: split(children) }),
      blockquote: (children) => mark({ kind: "quote", children: split(children) }),
      code: (text, meta) =>
        mark({ kind: "code", language: sanitize(meta?.language ?? ""), text: text.trimEnd() }),
      list: (children) => mark({ kind: "list", children: split(children) }),
      listItem: (children, meta) =>
        mark({ kind: "item", mark: bullet(meta, start), children: split(children) }),
      hr: () => mark({ kind: "rule" }),
      table: (children) => mark({ kind: "table", children: split(children) }),
      thead: (children) => children,
      tbody: (children) => children,
      tr: (children) => {
        const cells = split(children);
        const head = cells.some((node) => node.kind === "cell" && node.head);
        return mark({ kind: "row", head, children: cells });
      },
      th: cell(true),
      td: cell(false),
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
  return split(rest);
}

type ItemMeta = {
  ordered: boolean;
  index: number;
  /** How many lists it is in, less one. */
  depth: number;
  start?: number | undefined;
  checked?: boolean | undefined;
};

function bullet({ checked, ordered, index, depth, start }: ItemMeta, first?: number): string {
  if (checked !== undefined) return checked ? "☑" : "☐";
  const from = (depth === 0 ? first : undefined) ?? start ?? 1;
  return ordered ? `${from + index}.` : "•";
}

/** Always shows the address: the text may name a different one. */
function link(text: string, href: string, theme: Theme): string {
  const address = sanitize(href).replaceAll(/\s/g, "");
  const shown = theme.paint("link", text);
  const isNamed = address === "" || address === text || address === `mailto:${text}`;
  const both = isNamed ? shown : `${shown} ${theme.paint("dim", `(${address})`)}`;
  return hyperlink(both, address);
}

function splitChildren(children: string, nodes: readonly Node[]): Node[] {
  // eslint-disable-next-line no-control-regex -- the marks
  return children.split(/\x01(\d+)\x02/).flatMap((piece, index): Node[] => {
    if (index % 2 === 0) return piece.trim() === "" ? [] : [{ kind: "text", text: piece }];
    const node = nodes[Number(piece)];
    return node === undefined ? [] : [node];
  });
}
