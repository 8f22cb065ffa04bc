/** A row as the view shows it now, and what tiers need to know about its entry. */

import { filePathOf, type ToolUseBlock, textOf } from "../../protocol/block.ts";
import type { Entry, EntryId } from "../../protocol/entry.ts";
import { isAnswer } from "./blocks.ts";
import { charsOf, zeroChars, type CharsByKind } from "../meter/char-count.ts";
import { replacesText, shortened, sizeOf } from "../tool-inputs.ts";
import type { CallDigest, Digest, Row } from "../types.ts";

/** A row of the table, which alone changes it. */
export class TableRow implements Row {
  shown: Row["shown"] = "unsent";
  by: EntryId | undefined;
  text: string | undefined;
  charsByKind: CharsByKind = zeroChars;
  wholeCharsByKind: CharsByKind = zeroChars;
  pinned = false;
  #entry: Entry;
  #digest: Digest | null = null;

  constructor(entry: Entry) {
    this.#entry = entry;
  }

  get entry(): Entry {
    return this.#entry;
  }

  /** It was repaired. */
  set entry(entry: Entry) {
    this.#entry = entry;
    this.#digest = null;
  }

  /** Made when it is first asked for: old rows are never asked. */
  get digest(): Digest {
    return (this.#digest ??= digestOf(this.#entry));
  }

  get chars(): number {
    return charsOf(this.charsByKind);
  }

  get wholeChars(): number {
    return charsOf(this.wholeCharsByKind);
  }
}

/** The row as it is now, but with these characters in the request. */
export const withChars = (row: Row, charsByKind: CharsByKind): Row => ({
  entry: row.entry,
  digest: row.digest,
  shown: row.shown,
  by: row.by,
  text: row.text,
  charsByKind,
  wholeCharsByKind: row.wholeCharsByKind,
  chars: charsOf(charsByKind),
  wholeChars: row.wholeChars,
  pinned: row.pinned,
});

function digestOf(entry: Entry): Digest {
  const { id, type } = entry;
  switch (type) {
    case "result": {
      const { tool, bytes, lines, file } = entry;
      const stamps = (entry.stamps ?? []).map(({ path, does, lines: range }) => {
        return { path, does, ...(range && { lines: range }) };
      });
      const [isError, loads] = [entry.isError === true, entry.loads !== undefined];
      const exitCode = isError ? exitCodeIn(textOf(entry.content)) : null;
      return { type, id, tool, bytes, lines, file, isError, exitCode, loads, stamps };
    }
    case "assistant": {
      const calls = entry.content.flatMap((block) =>
        block.type === "tool_use" ? [callDigest(block, id)] : [],
      );
      return { type, id, isAnswer: isAnswer(entry), calls };
    }
    default:
      return { type, id };
  }
}

/** As Bash reports it. */
function exitCodeIn(text: string): number | null {
  const [, code] = /^\[exit code (\d+)\]/m.exec(text) ?? [];
  return code === undefined ? null : Number(code);
}

function callDigest({ id, input }: ToolUseBlock, entry: EntryId): CallDigest {
  const path = filePathOf(input);
  const isWhole = path !== null && typeof input["content"] === "string";
  const writes = path !== null && (isWhole || replacesText(input));
  const shortenedSize = (keepsWritten: boolean): number | null => {
    const next = shortened(input, keepsWritten, entry);
    return next && sizeOf(next);
  };
  return {
    id,
    path,
    isWhole,
    writes,
    size: sizeOf(input),
    shortened: shortenedSize(false),
    withWritten: writes ? shortenedSize(true) : null,
  };
}
