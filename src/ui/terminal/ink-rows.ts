/**
 * The rows of the tree that Ink has laid out. Ink's own last stage parses every cell of the screen for
 * every frame, 87 % of a frame's time; these rows go to a painter that compares strings.
 *
 * Knows the boxes, borders, clips and texts that this screen uses, and nothing that overlaps.
 */

import chalk from "chalk";
import type { DOMElement } from "ink";
import { fit, wrapAnywhere, wrapWords } from "../wrap.ts";

type Piece = { x: number; text: string };

type Clip = { left: number; right: number; top: number; bottom: number };

type Transform = (line: string, index: number) => string;

const unclipped: Clip = { left: 0, right: Infinity, top: 0, bottom: Infinity };

/** One string for each of `height` rows. */
export function rowsOfTree(root: DOMElement, height: number): string[] {
  const rows: Piece[][] = Array.from({ length: height }, () => []);

  function write(x: number, y: number, text: string, clip: Clip): void {
    if (y < clip.top || y >= clip.bottom || text === "") return;
    const width = clip.right === Infinity && x >= clip.left ? null : Bun.stringWidth(text);
    if (width === null || (x >= clip.left && x + width <= clip.right)) {
      rows[y]?.push({ x, text });
      return;
    }
    const shown = Bun.sliceAnsi(text, Math.max(0, clip.left - x), clip.right - x);
    rows[y]?.push({ x: Math.max(x, clip.left), text: shown });
  }

  function visit(
    node: DOMElement,
    left: number,
    top: number,
    transforms: readonly Transform[],
    clip: Clip,
  ): void {
    const { yogaNode, style } = node;
    if (!yogaNode || style.display === "none") return;
    const x = left + yogaNode.getComputedLeft();
    const y = top + yogaNode.getComputedTop();
    const own = node.internal_transform ? [node.internal_transform, ...transforms] : transforms;
    if (node.nodeName === "ink-text") {
      const lines = wrapped(textOfNode(node), yogaNode.getComputedWidth(), style.textWrap);
      for (const [index, line] of lines.entries())
        write(
          x,
          y + index,
          own.reduce((text, transform) => transform(text, index), line),
          clip,
        );
      return;
    }
    const width = yogaNode.getComputedWidth();
    const boxHeight = yogaNode.getComputedHeight();
    if (style.borderStyle !== undefined)
      for (const piece of borderOf(node, width, boxHeight))
        write(x + piece.x, y + piece.y, piece.text, clip);
    const isClipped = style.overflow === "hidden";
    const inner = isClipped ? within(clip, x, y, width, boxHeight) : clip;
    for (const child of node.childNodes)
      if (child.nodeName !== "#text") visit(child, x, y, own, inner);
  }

  visit(root, 0, 0, [], unclipped);
  return rows.map(joined);
}

const within = (clip: Clip, x: number, y: number, width: number, height: number): Clip => ({
  left: Math.max(clip.left, x),
  right: Math.min(clip.right, x + width),
  top: Math.max(clip.top, y),
  bottom: Math.min(clip.bottom, y + height),
});

/** The pieces of a row, from the left, with spaces between them. */
function joined(pieces: readonly Piece[]): string {
  let row = "";
  let end = 0;
  for (const { x, text } of pieces.toSorted((a, b) => a.x - b.x)) {
    if (x > end) row += " ".repeat(x - end);
    row += text;
    end = Math.max(end, x) + (pieces.length === 1 ? 0 : Bun.stringWidth(text));
  }
  return row;
}

/** The text of a node with the styles of the nodes inside it. */
function textOfNode(node: DOMElement): string {
  let text = "";
  for (const child of node.childNodes) {
    if (child.nodeName === "#text") {
      text += child.nodeValue;
      continue;
    }
    if (child.isHidden) continue;
    const inside = textOfNode(child);
    const { internal_transform: transform } = child;
    text += inside === "" || !transform ? inside : transformed(inside, transform);
  }
  return text;
}

const transformed = (text: string, transform: Transform): string =>
  text.includes("\n") ? text.split("\n").map(transform).join("\n") : transform(text, 0);

function wrapped(text: string, width: number, how: string | undefined): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  // Only lines that Yoga measured to be wider than their place need work.
  if (lines.every((line) => line.length <= width || Bun.stringWidth(line) <= width)) return lines;
  if (how?.startsWith("truncate")) return lines.map((line) => fit(line, width));
  const wrap = how === "hard" ? wrapAnywhere : wrapWords;
  return lines.flatMap((line) => wrap(line, width));
}

/** A round border without its top, which holds the title. */
function* borderOf(
  { style }: DOMElement,
  width: number,
  height: number,
): Generator<{ x: number; y: number; text: string }> {
  const paint = painter(String(style.borderColor ?? ""));
  const hasTop = style.borderTop !== false;
  if (hasTop) yield { x: 0, y: 0, text: paint(`╭${"─".repeat(Math.max(0, width - 2))}╮`) };
  const side = paint("│");
  for (let y = hasTop ? 1 : 0; y < height - 1; y++) {
    yield { x: 0, y, text: side };
    yield { x: width - 1, y, text: side };
  }
  yield { x: 0, y: height - 1, text: paint(`╰${"─".repeat(Math.max(0, width - 2))}╯`) };
}

/** A color as Ink's props name it: one of the 256, or one of the 16. */
function painter(color: string): (text: string) => string {
  const [, index] = /^ansi256\((\d+)\)$/.exec(color) ?? [];
  if (index !== undefined) return (text) => chalk.ansi256(Number(index))(text);
  return color in chalk ? (text) => `${Reflect.get(chalk, color)(text)}` : (text) => text;
}
