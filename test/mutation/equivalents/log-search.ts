/** The known equivalents of the search in the room `log`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all("src/log/archive.ts", "The next search has a limit of zero, and so no hits.", {
    "if (found.length >= limit || signal?.aborted) break;": [
      "if (found.length > limit || signal?.aborted) break;",
    ],
  }),
  ...all("src/log/paged-text.ts", "It would be read, and none of its lines taken.", {
    "if (from >= to) return [];": [";"],
  }),
  ...all("src/log/paged-text.ts", "The same lines are read, but from an earlier position.", {
    "const stride = 64 * 1024;": ["const stride = 64 * 1024 + 1;"],
    "last = i;": [";"],
    "const start = marks.findLast((mark) => mark.line <= from) ?? { line: 0, at: 0 };": [
      "const start = { line: 0, at: 0 };",
      "const start = marks.findLast((mark) => mark.line < from) ?? { line: 0, at: 0 };",
    ],
  }),
  ...all("src/log/paged-text.ts", "The first mark always matches, so the default is never used.", {
    "const start = marks.findLast((mark) => mark.line <= from) ?? { line: 0, at: 0 };": [
      "const start = marks.findLast((mark) => mark.line <= from) ?? { line: 1, at: 0 };",
      "const start = marks.findLast((mark) => mark.line <= from) ?? { line: 0, at: 1 };",
    ],
  }),
  ...all("src/log/paged-text.ts", "The same lines are read, but to a later position.", {
    "const end = marks.find((mark) => mark.line >= to);": [
      "const end = marks.find((mark) => mark.line > to);",
    ],
  }),
  ...all("src/log/paged-text.ts", "Reading an empty range returns no lines either.", {
    "if (from >= to) return [];": ["if (from > to) return [];"],
  }),
  ...all("src/log/search-cache.ts", "Any number will do that no released version has used.", {
    "const schemaVersion = 2;": ["const schemaVersion = 3;"],
  }),
  ...all("src/log/search-cache.ts", "Only the time to wait for a busy index changes.", {
    'this.#db.run("PRAGMA busy_timeout = 0");': [";"],
  }),
  ...all("src/log/search-cache.ts", "Only when SQLite merges its index changes.", {
    [`this.#db.run("INSERT INTO words (words, rank) VALUES ('merge', 30)");`]: [";"],
  }),
  ...all("src/log/search-cache.ts", "The mode is set again right after it.", {
    'closeSync(openSync(file, "a", 0o600));': ['closeSync(openSync(file, "a", 385));'],
  }),
  ...all("src/log/search-cache.ts", "Creating the tables of the other schema fails, too.", {
    'if (version?.user_version !== 0) throw new Error("the index has another schema");': [";"],
  }),
  ...all("src/log/search-steps.ts", "Only how much is read at a time changes.", {
    "if (lines.length > 0 || bytesRead < size) return lines;": [
      "if (lines.length > 1 || bytesRead < size) return lines;",
    ],
    "const readBytes = 256 * 1024;": ["const readBytes = 256 * 1024 + 1;"],
    "for (let size = readBytes; ; size *= 4) {": ["for (let size = readBytes; ; size *= 5) {"],
  }),
  ...all("src/log/search.ts", "Only how much is written to the index at once changes.", {
    "chars += step.text?.length ?? 0;": ["chars += step.text?.length ?? 1;"],
    "if (chars < batchChars) continue;": [
      "if (!(chars < batchChars)) continue;",
      "if (chars >= batchChars) continue;",
    ],
    "mark = batch.at(-1)?.next ?? mark;": [
      "mark = mark;",
      "mark = batch.at(-2)?.next ?? mark;",
      ";",
    ],
  }),
  ...all("src/log/search.ts", "Without steps, nothing is written to the index.", {
    "if (batch.length > 0) yield batch;": ["if (batch.length >= 0) yield batch;"],
  }),
  ...all("src/log/search.ts", "Only how often the indexer yields to the event loop changes.", {
    "const sliceMs = 6;": ["const sliceMs = 7;"],
    "chars += step.text?.length ?? 0;": [";"],
    "const busyMs = 20;": ["const busyMs = 21;"],
    "const batchChars = 32 * 1024;": ["const batchChars = 32 * 1024 + 1;"],
    "if (chars < batchChars) continue;": ["if (chars <= batchChars) continue;", ";"],
    "began = performance.now();": [";"],
    "chars = 0;": ["chars = 1;"],
    "if (performance.now() - began < sliceMs) continue;": [
      ";",
      "if (performance.now() - began <= sliceMs) continue;",
      "if (performance.now() - began >= sliceMs) continue;",
      "if (!(performance.now() - began < sliceMs)) continue;",
      "if (performance.now() + began < sliceMs) continue;",
    ],
  }),
  ...all("src/log/search.ts", "Any part of the first line identifies the log.", {
    'const line = buffer.toString("utf8", 0, bytesRead).split("\\n", 1)[0] ?? "";': [
      'const line = buffer.toString("utf8", 1, bytesRead).split("\\n", 1)[0] ?? "";',
    ],
    "const { bytesRead, buffer } = await handle.read(Buffer.alloc(512), 0, 512, 0);": [
      "const { bytesRead, buffer } = await handle.read(Buffer.alloc(513), 0, 512, 0);",
      "const { bytesRead, buffer } = await handle.read(Buffer.alloc(512), 1, 512, 0);",
      "const { bytesRead, buffer } = await handle.read(Buffer.alloc(512), 0, 513, 0);",
      "const { bytesRead, buffer } = await handle.read(Buffer.alloc(512), 0, 512, 1);",
    ],
  }),
  ...all(
    "src/log/search.ts",
    "Only the number of chunks among which the best entries are found changes.",
    {
      'const all = cache.find(matchOf(words, "AND"), limit * 4);': [
        'const all = cache.find(matchOf(words, "AND"), limit * 5);',
      ],
      'const places = all.length > 0 ? all : cache.find(matchOf(words, "OR"), limit * 4);': [
        'const places = all.length > 0 ? all : cache.find(matchOf(words, "OR"), limit * 5);',
      ],
    },
  ),
  ...all("src/log/search.ts", "Only the first part is used.", {
    'const line = buffer.toString("utf8", 0, bytesRead).split("\\n", 1)[0] ?? "";': [
      'const line = buffer.toString("utf8", 0, bytesRead).split("\\n", 2)[0] ?? "";',
    ],
  }),
  ...all("src/log/searchable.ts", "One byte more or less does not matter.", {
    "const searchedBytes = 4 * 1024 * 1024;": ["const searchedBytes = 4 * 1024 * 1024 + 1;"],
  }),
  ...all("src/log/searchable.ts", "A whole text is longer than what is shown of it.", {
    "return text.length > own.length ? text : own;": [
      "return text.length >= own.length ? text : own;",
    ],
  }),
];
