/** The known equivalents of the room `context`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all("src/context/anchor.ts", "The rows before it have the same tokens as then.", {
    "if (anchor.changed !== null && anchor.changed.row <= first) return anchor;": [
      "if (anchor.changed !== null && anchor.changed.row < first) return anchor;",
    ],
  }),
  ...all(
    "src/context/batch.ts",
    "Only a shortcut: no selection of these items frees more than all of them.",
    { "if (freedByAll(items) < minColdTokens) return null;": [";"] },
  ),
  ...all("src/context/batch.ts", "There is nothing beyond the last row.", {
    "for (let index = view.rows.length - 1; index >= sentFrom; index--) {": [
      "for (let index = view.rows.length + 1; index >= sentFrom; index--) {",
    ],
  }),
  ...all("src/context/batch.ts", "A millionth of a dollar does not decide.", {
    "if (gain > (best?.gain ?? 0)) best = { gain, row: index };": [
      "if (gain > (best?.gain ?? 1)) best = { gain, row: index };",
    ],
  }),
  ...all("src/context/batch.ts", "A token does not decide.", {
    "if (freedBy(plan) > 0) return plan;": ["if (freedBy(plan) > 1) return plan;"],
  }),
  ...all("src/context/batch.ts", "A token does not decide.", {
    "if (freedBy(plan) > 0) return plan;": ["if (freedBy(plan) >= 0) return plan;"],
  }),
  ...all("src/context/batch.ts", "A token does not decide.", {
    "let freed = 0;": ["let freed = 1;"],
  }),
  ...all("src/context/batch.ts", "A token does not decide.", {
    "let after = 0;": ["let after = 1;"],
  }),
  ...all("src/context/bills.ts", "Any number means that the entry is known.", {
    "this.#known.set(entry.id, 1);": ["this.#known.set(entry.id, 2);"],
    "this.#known.set(id, 1);": ["this.#known.set(id, 2);"],
    "this.#known.set(entry, 1);": ["this.#known.set(entry, 2);"],
  }),
  ...all("src/context/char-count.ts", "Only a shortcut: the characters are counted either way.", {
    'if (blocks.length === 1 && first?.type === "text" && first.text !== "") return new OneKind(kind, first.text.length);':
      [";"],
  }),
  ...all("src/context/char-count.ts", "Only a shortcut: a count equals itself.", {
    "if (a === b) return true;": [";"],
  }),
  ...all("src/context/clearable.ts", "There is nothing beyond the last row.", {
    "for (let index = rows.length - 1; index >= sentFrom; index--) {": [
      "for (let index = rows.length + 1; index >= sentFrom; index--) {",
    ],
    "for (let index = view.rows.length - 1; index >= sentFrom; index--) {": [
      "for (let index = view.rows.length + 1; index >= sentFrom; index--) {",
    ],
  }),
  ...all("src/context/clearable.ts", "The first row that is sent cannot be cleared.", {
    "for (let index = rows.length - 1; index >= sentFrom; index--) {": [
      "for (let index = rows.length - 1; index > sentFrom; index--) {",
    ],
  }),
  ...all(
    "src/context/clearable.ts",
    "An answer that calls tools never comes directly before another.",
    {
      "return Math.min(newest ? asked : view.rows.length, openExchange(view)) - 1;": [
        "return Math.min(newest ? asked : view.rows.length, openExchange(view)) - 2;",
      ],
    },
  ),
  ...all("src/context/clearable.ts", "Only the search is repeated.", {
    "if (before?.version === view.version && before.policy === policy) return before.items;": [";"],
  }),
  ...all("src/context/image.ts", "The sizes are in the first 48 bytes.", {
    'const bytes = decode(data.slice(0, media_type === "image/jpeg" ? headChars : 64));': [
      "const bytes = decode(data);",
    ],
  }),
  ...all("src/context/marks.ts", "Only the search is repeated.", {
    "if (message) holders.set(rows, { row, message });": [";"],
  }),
  ...all("src/context/message-list.ts", "The first entry is the session's own.", {
    "#built = 0;": ["#built = 1;"],
  }),
  ...all("src/context/recent-path.ts", "The first entry is the session's own.", {
    "const before = path.slice(0, cut);": ["const before = path.slice(1, cut);"],
  }),
  ...all("src/context/summary-due.ts", "The first row is the session's own entry.", {
    "for (let index = rows.length - 1; index >= 0 && calls < least; index--) {": [
      "for (let index = rows.length - 1; index >= 1 && calls < least; index--) {",
    ],
  }),
  ...all("src/context/derived-rows.ts", "Only speed changes.", {
    "if (this.#isKnown && this.#first >= from) return this.#first;": [";"],
  }),
  ...all("src/context/image.ts", "The sizes are in the first 48 bytes.", {
    'const bytes = decode(data.slice(0, media_type === "image/jpeg" ? headChars : 64));': [
      'const bytes = decode(data.slice(0, media_type === "image/jpeg" ? headChars : 65));',
    ],
  }),
  ...all("src/context/image.ts", "The mask leaves the same 14 bits of more bytes.", {
    "return { width: little(bytes, 26, 2) & 0x3fff, height: little(bytes, 28, 2) & 0x3fff };": [
      "return { width: little(bytes, 26, 3) & 0x3fff, height: little(bytes, 28, 2) & 0x3fff };",
      "return { width: little(bytes, 26, 2) & 0x3fff, height: little(bytes, 28, 3) & 0x3fff };",
    ],
  }),
  ...all("src/context/ledger-items.ts", "One more place is scaled, which is empty.", {
    "#end = 0;": ["#end = 1;"],
    "this.#end = Math.max(this.#end, place + 1);": ["this.#end = Math.max(this.#end, place + 2);"],
  }),
  ...all("src/context/marks.ts", "The open exchange begins with an answer, not with a result.", {
    "if (!row || (changed === undefined && at >= openExchange(view))) return null;": [
      "if (!row || (changed === undefined && at > openExchange(view))) return null;",
    ],
  }),
  ...all("src/context/marks.ts", "Only the search is repeated.", {
    "if (known !== -1) return known;": [";"],
  }),
  ...all("src/context/message-builder.ts", "Only whether the messages are copied changes.", {
    "if (this.#open.size === 0) { this.#lent = true; return this.messages; }": [";"],
  }),
  ...all("src/context/message-builder.ts", "There is nothing to copy yet.", {
    "#lent = false;": ["#lent = true;"],
  }),
  ...all(
    "src/context/message-list.ts",
    "The first message is put back only where it is the same.",
    {
      "0,": ["1,"],
    },
  ),
  ...all("src/context/pipeline.ts", "A cache holds a thousand tokens or none.", {
    "const inOrder = now.reading.cache.tokens > 0 ? [early, clear] : [clear, early];": [
      "const inOrder = now.reading.cache.tokens > 1 ? [early, clear] : [clear, early];",
    ],
  }),
  ...all("src/context/request.ts", "Thinking is sent again only from a message of the user on.", {
    "if (last >= view.thinkingFrom) return false;": ["if (last > view.thinkingFrom) return false;"],
  }),
  ...all("src/context/request.ts", "The list is not empty.", {
    "const { kept, room } = keep(sharesLeftOut[needed + dropOldest] ?? sharesLeftOut.at(-1) ?? 0);":
      [
        "const { kept, room } = keep(sharesLeftOut[needed + dropOldest] ?? sharesLeftOut.at(-1) ?? 1);",
      ],
  }),
  ...all("src/context/row-range.ts", "The range is empty either way.", {
    "return from === undefined || to === undefined ? { view, from: 0, to: -1 } : { view, from, to };":
      [
        "return from === undefined || to === undefined ? { view, from: 0, to: -2 } : { view, from, to };",
      ],
  }),
  ...all("src/context/span.ts", "Either way nothing is left to summarize.", {
    'while (to > first && view.rows[to]?.shown === "unsent") to--;': [
      'while (to >= first && view.rows[to]?.shown === "unsent") to--;',
    ],
  }),
  ...all("src/context/summary/compose.ts", "Pinned rows beyond the span are included anyway.", {
    "const pinned = view.rows.slice(from, to + 1).filter((row) => row.pinned);": [
      "const pinned = view.rows.slice(from, to + 2).filter((row) => row.pinned);",
      "const pinned = view.rows.filter((row) => row.pinned);",
    ],
  }),
  ...all(
    "src/context/summary/compose.ts",
    "The first row is the session entry, which has no text.",
    {
      "const before = [...uncovered({ view, from: 0, to: from - 1 })];": [
        "const before = [...uncovered({ view, from: 1, to: from - 1 })];",
      ],
    },
  ),
  ...all("src/context/thinking.ts", "The first entry is the session's own.", {
    "#editedUntil = 0;": ["#editedUntil = 1;"],
  }),
  ...all(
    "src/context/token-ledger.ts",
    "Pending items have characters, so zero is expected only when none is pending.",
    {
      "const scale = expected > 0 ? measured / expected : 1;": [
        "const scale = expected >= 0 ? measured / expected : 1;",
        "const scale = expected > 0 ? measured / expected : 2;",
      ],
    },
  ),
  ...all("src/context/token-ledger.ts", "One place stays empty.", {
    "const rowItems = 2;": ["const rowItems = 3;"],
  }),
  ...all("src/context/touches.ts", "Only differences of the count are used.", {
    "#calls = 0;": ["#calls = 1;"],
  }),
  ...all("src/context/view.ts", "Only whether it changes counts.", {
    "version: 0,": ["version: 1,"],
  }),
  ...all("src/context/view.ts", "An invalid time is in 1970 either way.", {
    "const timeOf = (at: string): number => Date.parse(at) || 0;": [
      "const timeOf = (at: string): number => Date.parse(at) || 1;",
    ],
  }),
  ...all("src/context/view.ts", "No row is before the first.", {
    "for (const block of entry.blocks) this.#history.changed(this.#table.indexOf(block.entry) ?? -1);":
      [
        "for (const block of entry.blocks) this.#history.changed(this.#table.indexOf(block.entry) ?? -2);",
      ],
  }),
  ...all("src/context/well-formed.ts", "Another seed: the hash is only another one.", {
    "let value = 0x811c9dc5;": ["let value = 2166136262;"],
  }),
];
