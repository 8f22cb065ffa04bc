/** Files as the recording last showed them, in place of the disk. */

import { type ToolUseBlock, blockText } from "../../src/protocol/block.ts";
import type { ResultFact } from "../../src/protocol/entry.ts";
import { withoutLineNumbers } from "./dependencies.ts";
import { findReplacements } from "./replacements.ts";

/** Characters remembered of a file that was only read in parts. */
const maxPieces = 60_000;

type Known = { text: string; whole: boolean };

export class FileShadow {
  readonly #files = new Map<string, Known>();

  /** Files by their last use, the newest last. */
  get paths(): readonly string[] {
    return [...this.#files.keys()];
  }

  textOf(path: string): string | null {
    return this.#files.get(path)?.text ?? null;
  }

  follow(result: ResultFact, use: ToolUseBlock | undefined): void {
    for (const { path, does, lines } of result.stamps ?? []) {
      const known = this.#files.get(path);
      const next =
        does === "read"
          ? read(known, withoutLineNumbers(blockText(result.content)), lines === undefined)
          : written(known, use);
      this.#files.delete(path);
      this.#files.set(path, next);
    }
  }
}

function read(known: Known | undefined, text: string, whole: boolean): Known {
  if (whole) return { text, whole };
  if (known?.whole) return known;
  return { text: `${text}\n${known?.text ?? ""}`.slice(0, maxPieces), whole: false };
}

function written(known: Known | undefined, use: ToolUseBlock | undefined): Known {
  const content = use?.input["content"];
  if (typeof content === "string") return { text: content, whole: true };
  let text = known?.text ?? "";
  for (const { from, to } of findReplacements(use?.input ?? {})) {
    const at = text.indexOf(from);
    text = at === -1 ? `${to}\n${text}` : text.slice(0, at) + to + text.slice(at + from.length);
  }
  return { text, whole: known?.whole ?? false };
}
