/**
 * Ink, mounted on the screen's frames. React commits and Yoga lays out as usual; then the rows of the
 * laid-out tree go to `present`, whose painter compares strings. Ink's own last stage parses every cell
 * of the screen for every frame, 87 % of a frame's time.
 *
 * Ink documents neither `onRender` of its root node, which it calls after each layout, nor the nodes that
 * are read (every test on `test/ui/stage.ts` guards both). Without it, Ink's own output goes to
 * the terminal: the same screen, only slower. The rows know the boxes, borders, heights that clip and
 * texts that this screen uses, and nothing that overlaps; a line is never wider than its box.
 */

import chalk from "chalk";
import { Box, type DOMElement, type Instance, render } from "ink";
import { fit, wrapAnywhere, wrapWords } from "../painted-text.ts";
import { Writable } from "node:stream";
import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { FieldInput } from "../components/field-input.ts";
import { DrawsRowsContext } from "../screen-context.ts";

/** Text on a row. A `<Transform>` may change its text per frame without a render. */
type Piece = { x: number; text: string | (() => string) };

type Transform = (line: string, index: number) => string;

/** The pieces of each of `height` rows. */
function piecesOfTree(root: DOMElement, height: number): Piece[][] {
  const rows: Piece[][] = Array.from({ length: height }, () => []);

  function write(x: number, y: number, text: Piece["text"], bottom: number): void {
    if (y < bottom && text !== "") rows[y]?.push({ x, text });
  }

  /** Nothing is drawn from row `bottom` on. */
  function visit(
    node: DOMElement,
    left: number,
    top: number,
    transforms: readonly Transform[],
    bottom: number,
  ): void {
    const { yogaNode, style } = node;
    if (!yogaNode || style.display === "none") return;
    const x = left + yogaNode.getComputedLeft();
    const y = top + yogaNode.getComputedTop();
    const own = node.internal_transform ? [node.internal_transform, ...transforms] : transforms;
    const width = yogaNode.getComputedWidth();
    if (node.nodeName === "ink-text") {
      const lines = layoutText(node, own, width);
      for (const [index, line] of lines.entries()) write(x, y + index, line, bottom);
      return;
    }
    const boxHeight = yogaNode.getComputedHeight();
    if (style.borderStyle !== undefined)
      for (const piece of borderOf(node, width, boxHeight))
        write(x + piece.x, y + piece.y, piece.text, bottom);
    const inner = style.overflow === "hidden" ? Math.min(bottom, y + boxHeight) : bottom;
    for (const child of node.childNodes)
      if (child.nodeName !== "#text") visit(child, x, y, own, inner);
  }

  visit(root, 0, 0, [], Infinity);
  return rows;
}

const toText = (text: Piece["text"]): string => (typeof text === "string" ? text : text());

function joined(pieces: readonly Piece[]): string {
  const [only] = pieces;
  if (only && pieces.length === 1) {
    const text = toText(only.text);
    return text && " ".repeat(only.x) + text;
  }
  let row = "";
  let end = 0;
  for (const piece of pieces.toSorted((a, b) => a.x - b.x)) {
    const { x } = piece;
    const text = toText(piece.text);
    if (text === "") continue;
    if (x > end) row += " ".repeat(x - end);
    row += text;
    end = Math.max(end, x) + Bun.stringWidth(text);
  }
  return row;
}

type Lines = readonly Piece["text"][];

/** Cached lines of mounted texts, by node, with their inputs. Most texts do not change between frames. */
const linesByNode = new WeakMap<DOMElement, { from: readonly unknown[]; lines: Lines }>();

function layoutText(node: DOMElement, transforms: readonly Transform[], width: number): Lines {
  const from = [width, node.style.textWrap, ...transforms, ...contentWithin(node)];
  const before = linesByNode.get(node);
  if (before?.from.length === from.length && before.from.every((part, at) => part === from[at]))
    return before.lines;
  // Every <Text> has a wrap, and a <Transform> has none.
  const isText = node.style.textWrap !== undefined;
  const lines = wrapped(textOfNode(node), width, node.style.textWrap).map((line, index) => {
    const transform = (): string => transforms.reduce((text, next) => next(text, index), line);
    return isText ? transform() : transform;
  });
  linesByNode.set(node, { from, lines });
  return lines;
}

/** Inputs of a node's text. Ink creates a new transform on every render. */
const contentWithin = (node: DOMElement): unknown[] =>
  node.childNodes.flatMap((child) =>
    child.nodeName === "#text"
      ? [child.nodeValue]
      : [
          child.isHidden,
          child.internal_transform,
          child.childNodes.length,
          ...contentWithin(child),
        ],
  );

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
    text += inside === "" || !transform ? inside : transform(inside, 0);
  }
  return text;
}

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
  const side = paint("│");
  for (let y = 0; y < height - 1; y++) {
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

type Size = { columns: number; rows: number };

export type InkOutput = {
  /** Shows the rows of a frame. */
  present(rows: readonly string[]): void;
  /** Ink's own output, if its tree cannot be read. */
  write(output: string): void;
  crash(error: unknown): void;
  /** False: uses Ink's own output. */
  readsTree?: boolean;
  /** Screen-reader mode: Ink writes text and roles as lines, on the normal screen. */
  isSpoken?: boolean;
  /** False: line-based output only. */
  isInteractive?: boolean;
};

type InkScreenOptions = InkOutput & {
  /** The element to draw in the next frame. */
  content(): ReactNode;
};

export type InkScreen = ReturnType<typeof inkScreen>;

export function inkScreen(options: InkScreenOptions) {
  const {
    present,
    write,
    crash,
    readsTree = true,
    isSpoken = false,
    isInteractive = true,
  } = options;
  /** Ink's own output goes to the terminal. */
  let isPassing = false;
  /** Standard output as Ink sees it. */
  const output = Object.assign(
    new Writable({
      write(chunk, _, done) {
        if (isPassing) write(String(chunk));
        done();
      },
    }),
    { isTTY: true, columns: 80, rows: 24 },
  );
  let content = options.content();
  let root: DOMElement | null = null;
  /** Pieces of the last layout; null: none yet, or laid out for another height. */
  let pieces: Piece[][] | null = null;
  let isPresented = false;

  const flush = (): void => void instance?.rerender(tree());
  const drawsRows = (): boolean => root !== null;

  /** Shows what is laid out; without a tree, Ink has done it. */
  function show(): void {
    isPresented = true;
    if (!root) return;
    pieces ??= piecesOfTree(root, output.rows);
    present(pieces.map(joined));
  }

  function onMount(node: DOMElement | null): void {
    isPassing = !readsTree || isSpoken || typeof node?.onRender !== "function";
    if (isPassing || !node) return;
    root = node;
    root.onRender = () => {
      pieces = null;
      show();
    };
  }

  const tree = (): ReactNode => (
    <Mounted onMount={onMount}>
      <DrawsRowsContext value={drawsRows}>{content}</DrawsRowsContext>
    </Mounted>
  );
  let instance: Instance | null = null;

  /** Mounts the application, with the first frame already there. */
  function mount(): Instance {
    const mounted = render(tree(), {
      stdout: output,
      stdin: new FieldInput(),
      exitOnCtrlC: false,
      patchConsole: false,
      // Ink turns off interactive mode if the variable CI is set.
      interactive: isInteractive,
      maxFps: 60,
      isScreenReaderEnabled: isSpoken,
    });
    mounted.waitUntilExit().catch(crash);
    return mounted;
  }

  return {
    /** Draws a frame in this tick; store subscribers are notified first. */
    publish({ columns, rows }: Size): void {
      const next = options.content();
      if (rows !== output.rows) pieces = null;
      output.columns = columns;
      output.rows = rows;
      const isSame = content === next;
      content = next;
      isPresented = false;
      if (!instance) instance = mount();
      else if (!isSame) flush();
      // React commits in a microtask; without a commit, only the cursor or selection moved.
      queueMicrotask(() => {
        if (!isPresented) show();
      });
    },
    /** Redraws Ink's own output; `present` redraws its own rows. */
    repaint(): void {
      if (root || !instance) return;
      instance.clear();
      if (!isSpoken) write("\x1b[H\x1b[2J");
      // Forces Ink to draw without changes.
      output.emit("resize");
    },
    /** Draws published changes immediately instead of at the end of the tick. */
    flush,
    unmount(): void {
      // Keep Ink's final output off the terminal.
      root = null;
      isPassing = false;
      instance?.unmount();
    },
  };
}

/** Captures the root of Ink's tree before the first draw. */
function Mounted({
  onMount,
  children,
}: {
  onMount(root: DOMElement | null): void;
  children: ReactNode;
}): ReactNode {
  const box = useRef<DOMElement>(null);
  const [isMounted, setMounted] = useState(false);
  useLayoutEffect(() => {
    let node = box.current;
    while (node?.parentNode) node = node.parentNode;
    onMount(node);
    setMounted(true);
  }, [onMount]);
  return <Box ref={box}>{isMounted && children}</Box>;
}
