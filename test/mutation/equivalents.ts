/**
 * Mutants that no test can kill, because the program does the same with them. They are found by
 * their text, not by their line, and a test fails when an entry matches nothing any more.
 */

import type { Mutant } from "./mutants.ts";

export type Equivalent = Pick<Mutant, "file" | "before" | "after"> & { why: string };

const all = (file: string, why: string, ...edits: [before: string, after: string][]) =>
  edits.map(([before, after]): Equivalent => ({ file, before, after, why }));

const stamp = "const { bytesRead, buffer } = await handle.read(Buffer.alloc(512), 0, 512, 0);";
const pageStart =
  "const start = marks.findLast((mark) => mark.line <= from) ?? { line: 0, at: 0 };";
const webp =
  "return { width: little(bytes, 26, 2) & 0x3fff, height: little(bytes, 28, 2) & 0x3fff };";
const slice = "if (performance.now() - began < sliceMs) continue;";

export const equivalents: readonly Equivalent[] = [
  ...all(
    "src/log/search.ts",
    "Only how often the indexer yields to the event loop changes.",
    ["const sliceMs = 6;", "const sliceMs = 7;"],
    ["chars += step.text?.length ?? 0;", ";"],
    ["const busyMs = 20;", "const busyMs = 21;"],
    ["const batchChars = 32 * 1024;", "const batchChars = 32 * 1024 + 1;"],
    ["if (chars < batchChars) continue;", "if (chars <= batchChars) continue;"],
    ["if (chars < batchChars) continue;", ";"],
    ["began = performance.now();", ";"],
    ["chars = 0;", "chars = 1;"],
    [slice, ";"],
    [slice, "if (performance.now() - began <= sliceMs) continue;"],
    [slice, "if (performance.now() - began >= sliceMs) continue;"],
    [slice, "if (!(performance.now() - began < sliceMs)) continue;"],
    [slice, "if (performance.now() + began < sliceMs) continue;"],
  ),
  ...all(
    "src/log/search.ts",
    "Any part of the first line identifies the log.",
    [
      'const line = buffer.toString("utf8", 0, bytesRead).split("\\n", 1)[0] ?? "";',
      'const line = buffer.toString("utf8", 1, bytesRead).split("\\n", 1)[0] ?? "";',
    ],
    [stamp, stamp.replace("alloc(512)", "alloc(513)")],
    [stamp, stamp.replace("0, 512, 0", "1, 512, 0")],
    [stamp, stamp.replace("0, 512, 0", "0, 513, 0")],
    [stamp, stamp.replace("0, 512, 0", "0, 512, 1")],
  ),
  ...all(
    "src/log/catalog.ts",
    "Only how many sessions are read at a time changes.",
    ["const concurrency = 16;", "const concurrency = 17;"],
    [
      "for (let at = 0; at < files.length; at += concurrency) {",
      "for (let at = 0; at <= files.length; at += concurrency) {",
    ],
  ),
  ...all(
    "src/log/lines.ts",
    "Only the size of a chunk changes.",
    ["const chunkBytes = 4 * 1024 * 1024;", "const chunkBytes = 4 * 1024 * 1024 + 1;"],
    [
      "const chunk = Buffer.alloc(Math.min(chunkBytes, Math.max(size, 1)));",
      "const chunk = Buffer.alloc(Math.max(chunkBytes, Math.max(size, 1)));",
    ],
    [
      "const chunk = Buffer.alloc(Math.min(chunkBytes, Math.max(size, 1)));",
      "const chunk = Buffer.alloc(Math.min(chunkBytes, Math.max(size, 2)));",
    ],
  ),
  ...all(
    "src/log/paged-text.ts",
    "The same lines are read, only from further up.",
    ["const stride = 64 * 1024;", "const stride = 64 * 1024 + 1;"],
    [pageStart, "const start = { line: 0, at: 0 };"],
    [pageStart, pageStart.replace("<=", "<")],
  ),
  ...all("src/log/paged-text.ts", "The first mark always matches, so the default is never used.", [
    pageStart,
    pageStart.replace("{ line: 0, at: 0 }", "{ line: 1, at: 0 }"),
  ]),
  ...all("src/log/paged-text.ts", "The first mark always matches, so the default is never used.", [
    pageStart,
    pageStart.replace("{ line: 0, at: 0 }", "{ line: 0, at: 1 }"),
  ]),
  ...all("src/log/archive.ts", "The next search has a limit of zero, and so no hits.", [
    "if (found.length >= limit || signal?.aborted) break;",
    "if (found.length > limit || signal?.aborted) break;",
  ]),
  ...all("src/log/paged-text.ts", "Reading an empty range returns no lines, too.", [
    "if (from >= to) return [];",
    "if (from > to) return [];",
  ]),
  ...all("src/log/search-cache.ts", "Only when SQLite merges its index changes.", [
    "this.#db.run(\"INSERT INTO words (words, rank) VALUES ('merge', 30)\");",
    ";",
  ]),
  ...all("src/log/peek.ts", "Only the size of a step changes.", [
    "const stepBytes = 1024 * 1024;",
    "const stepBytes = 1024 * 1024 + 1;",
  ]),
  ...all("src/log/places.ts", "Only which of two tables holds a place changes.", [
    "if (number === 0 || number > 16 * this.#count + 1_024) return void this.#others.set(id, place);",
    "if (number === 0 || number > 17 * this.#count + 1_024) return void this.#others.set(id, place);",
  ]),
  ...all("src/log/whole-text.ts", "A whole text is longer than what is shown of it.", [
    "return text.length > own.length ? text : own;",
    "return text.length >= own.length ? text : own;",
  ]),
  ...all(
    "src/log/writer.ts",
    "The failure is reported either way, and nothing waits for the file that is closed.",
    ["await handle.close();", "handle.close();"],
    ["await this.#release().catch(() => undefined);", "this.#release().catch(() => undefined);"],
  ),
  ...all("src/log/rewind-files.ts", "The file was there when the steps were planned.", [
    'if (step.how === "delete") await rm(step.path, { force: true });',
    'if (step.how === "delete") await rm(step.path, { force: false });',
  ]),
  ...all("src/log/store.ts", "By then the entry is known as written, which is asked first.", [
    "this.#pending.delete(entry.id);",
    ";",
  ]),
  ...all(
    "src/log/log-importer.ts",
    "The same bytes are written, only in other batches.",
    ["const batchBytes = 1024 * 1024;", "const batchBytes = 1024 * 1024 + 1;"],
    [
      "if (this.#filled + bytes > batchBytes) this.#flush();",
      "if (this.#filled + bytes >= batchBytes) this.#flush();",
    ],
    [
      "if (bytes > batchBytes) return this.#write(Buffer.from(line));",
      "if (bytes >= batchBytes) return this.#write(Buffer.from(line));",
    ],
  ),
  ...all(
    "src/log/search-steps.ts",
    "Only how much is read at a time changes.",
    [
      "if (lines.length > 0 || bytesRead < size) return lines;",
      "if (lines.length > 1 || bytesRead < size) return lines;",
    ],
    ["const readBytes = 256 * 1024;", "const readBytes = 256 * 1024 + 1;"],
    ["for (let size = readBytes; ; size *= 4) {", "for (let size = readBytes; ; size *= 5) {"],
  ),
  ...all(
    "src/tools/files/nearest-lines.ts",
    "A line that is equal cannot be beaten by a later one; the search only takes longer.",
    ["if (distance === 0) return at;", ";"],
  ),
  ...all(
    "src/tools/files/folder.ts",
    "The branch for systems without /proc.",
    [
      "if (made !== undefined) { for (let at = folder; at.length >= made.length; at = dirname(at)) await syncFolder(dirname(at)); }",
      ";",
    ],
    [
      "const made = create ? await mkdir(folder, { recursive: true }) : undefined;",
      "const made = create ? await mkdir(folder, { recursive: false }) : undefined;",
    ],
    [
      "for (let at = folder; at.length >= made.length; at = dirname(at)) await syncFolder(dirname(at));",
      "for (let at = folder; at.length > made.length; at = dirname(at)) await syncFolder(dirname(at));",
    ],
  ),
  ...all("src/tools/files/page.ts", "Only how much is kept of a line that no page shows.", [
    "line = takeStart(line, lineCharsAtMost + 1);",
    "line = takeStart(line, lineCharsAtMost + 2);",
  ]),
  ...all("src/tools/files/replace-text.ts", "Positions come in pairs.", [
    "from = raw[index + 1] ?? 0;",
    "from = raw[index + 1] ?? 1;",
  ]),
  ...all(
    "src/tools/files/open-regular.ts",
    "Matters only if the file is replaced between the check and the open.",
    ["refuseUnlessRegular(stat);", ";"],
    ["await handle.close();", ";"],
  ),
  ...all(
    "src/tools/search/batches.ts",
    "Only how many files one process searches changes.",
    [
      'const batchBytes = process.platform === "win32" ? 24 * 1024 : 256 * 1024;',
      'const batchBytes = process.platform !== "win32" ? 24 * 1024 : 256 * 1024;',
    ],
    [
      "bytes += ways.reduce((sum, one) => sum + Buffer.byteLength(one) + 1, 0);",
      "bytes += ways.reduce((sum, one) => sum + Buffer.byteLength(one) + 1, 1);",
    ],
    [
      "bytes += ways.reduce((sum, one) => sum + Buffer.byteLength(one) + 1, 0);",
      "bytes += ways.reduce((sum, one) => sum + Buffer.byteLength(one) - 1, 0);",
    ],
  ),
  ...all("src/tools/search/ignore-rules.ts", "Only how often rules are asked in vain changes.", [
    'const rule = line.trim().replace(/\\/+$/, "");',
    'const rule = line.replace(/\\/+$/, "");',
  ]),
  ...all("src/tools/search/ripgrep.ts", "Only how many processes search at once changes.", [
    "const batchesAtOnce = Math.min(availableParallelism(), 12) + 1;",
    "const batchesAtOnce = Math.min(availableParallelism(), 13) + 1;",
  ]),
  ...all("src/tools/search/ripgrep.ts", "An empty file is searched besides.", [
    "isChecked = true;",
    ";",
  ]),
  ...all("src/tools/search/ripgrep.ts", "The compiled program, which test:build tests.", [
    'if (import.meta.url.includes("/$bunfs/")) { const beside = join(dirname(process.execPath), name); return existsSync(beside) ? beside : null; }',
    ";",
  ]),
  ...all("src/agent/repair.ts", "An answer holds no images.", [
    "const isNew = large.some(({ row }) => row > lastAnswer(view));",
    "const isNew = large.some(({ row }) => row >= lastAnswer(view));",
  ]),
  ...all("src/agent/repair.ts", "An answer holds no images.", [
    "const unanswered = images.filter(({ row }) => row > lastAnswer(view));",
    "const unanswered = images.filter(({ row }) => row >= lastAnswer(view));",
  ]),
  ...all(
    "src/context/cache.ts",
    "Every row has its tokens, so the default is never used.",
    ["const now = tokens[firstRow] ?? 0;", "const now = tokens[firstRow] ?? 1;"],
    [
      "return ((tokens[index] ?? 0) * row.charsByKind.thinking) / row.chars;",
      "return ((tokens[index] ?? 1) * row.charsByKind.thinking) / row.chars;",
    ],
    [
      'row.pinned && row.shown !== "covered" ? 0 : (tokens[index] ?? 0),',
      'row.pinned && row.shown !== "covered" ? 0 : (tokens[index] ?? 1),',
    ],
  ),
  ...all(
    "src/context/batch.ts",
    "Every row has its number, and beyond the last row there is none.",
    [
      "for (const { row, freed } of items) clearable[row] = (clearable[row] ?? 0) + freed;",
      "for (const { row, freed } of items) clearable[row] = (clearable[row] ?? 1) + freed;",
    ],
    ["const clears = clearable[index] ?? 0;", "const clears = clearable[index] ?? 1;"],
    [
      "for (let index = view.rows.length - 1; index >= view.sentFrom; index--) {",
      "for (let index = view.rows.length + 1; index >= view.sentFrom; index--) {",
    ],
  ),
  ...all(
    "src/context/clearable.ts",
    "Beyond the last row there is nothing.",
    [
      "for (let index = rows.length - 1; index >= sentFrom; index--) {",
      "for (let index = rows.length + 1; index >= sentFrom; index--) {",
    ],
    [
      "for (let index = view.rows.length - 1; index >= view.sentFrom; index--) {",
      "for (let index = view.rows.length + 1; index >= view.sentFrom; index--) {",
    ],
  ),
  ...all(
    "src/context/image.ts",
    "Of more bytes the mask leaves the same 14 bits.",
    [webp, webp.replace("26, 2", "26, 3")],
    [webp, webp.replace("28, 2", "28, 3")],
  ),
  ...all("src/run/choose-log.ts", "Nothing waits for a log that was only read.", [
    "await log.close();",
    "log.close();",
  ]),
  ...all(
    "src/control/channel.ts",
    "Only memory is saved: what is settled cannot be settled again.",
    ["this.#pending.delete(request_id);", ";"],
    ["this.#pending.delete(response.request_id);", ";"],
    ["this.#pending.clear();", ";"],
  ),
  ...all("src/agent/repair.ts", "An image of unknown size is not larger than any limit.", [
    "return size ? Math.max(size.width, size.height) : 0;",
    "return size ? Math.max(size.width, size.height) : 1;",
  ]),
  ...all("src/run/run.ts", "Nothing waits for an index, which can be rebuilt at any time.", [
    "await archive.close();",
    "archive.close();",
  ]),
  ...all("src/context/view.ts", "A time that is none is in 1970 either way.", [
    "const timeOf = (at: string): number => Date.parse(at) || 0;",
    "const timeOf = (at: string): number => Date.parse(at) || 1;",
  ]),
  ...all("src/context/message-builder.ts", "Only whether the messages are copied changes.", [
    "if (this.#open.size === 0) { this.#lent = true; return this.messages; }",
    ";",
  ]),
  ...all("src/tools/files/image.ts", "An image of one pixel is never too large.", [
    "for (let side = Math.min(longest, maxSide); side >= 1; side = Math.floor(side / 2)) {",
    "for (let side = Math.min(longest, maxSide); side > 1; side = Math.floor(side / 2)) {",
  ]),
];

export const isEquivalent = (mutant: Mutant, known: readonly Equivalent[]): boolean =>
  known.some(
    ({ file, before, after }) =>
      file === mutant.file && before === mutant.before && after === mutant.after,
  );
