/** A mutant: one edit of one source file. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findEdits, type Edit } from "./operators.ts";

export type Mutant = Edit & {
  /** Relative to the root of the tree. */
  file: string;
  line: number;
  /** The lines that the edit touches, as one line, before and after it. */
  before: string;
  after: string;
};

export function findMutants(root: string, file: string): Mutant[] {
  const source = readFileSync(join(root, file), "utf8");
  return findEdits(file, source).map((edit) => {
    const from = source.lastIndexOf("\n", edit.start - 1) + 1;
    const newline = source.indexOf("\n", edit.end);
    const to = newline === -1 ? source.length : newline;
    const head = source.slice(from, edit.start);
    const tail = source.slice(edit.end, to);
    return {
      ...edit,
      file,
      line: source.slice(0, edit.start).split("\n").length,
      before: onOneLine(source.slice(from, to)),
      after: onOneLine(head + edit.text + tail),
    };
  });
}

const onOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The same order for the same seed (Fisher-Yates, mulberry32). */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const order = [...items];
  let state = seed;
  for (let i = order.length - 1; i > 0; i--) {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    const j = ((bits ^ (bits >>> 14)) >>> 0) % (i + 1);
    const [a, b] = [order[i], order[j]];
    if (a !== undefined && b !== undefined) [order[i], order[j]] = [b, a];
  }
  return order;
}
