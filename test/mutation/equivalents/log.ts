/** The known equivalents of the room `log`. */

import { all, type Equivalent } from "../equivalent.ts";

export const equivalents: readonly Equivalent[] = [
  ...all("src/log/catalog.ts", "Only how many sessions are read at a time changes.", {
    "const concurrency = 16;": ["const concurrency = 17;"],
    "for (let at = 0; at < files.length; at += concurrency) {": [
      "for (let at = 0; at <= files.length; at += concurrency) {",
    ],
  }),
  ...all("src/log/catalog.ts", "Only speed or memory changes.", {
    "const maxCounted = 64 * 1024 * 1024;": ["const maxCounted = 64 * 1024 * 1024 + 1;"],
  }),
  ...all("src/log/catalog.ts", "Only the sign counts.", {
    "return isFuture(a) - isFuture(b) || b.changedMs - a.changedMs || (a.file < b.file ? 1 : -1);":
      [
        "return isFuture(a) - isFuture(b) || b.changedMs - a.changedMs || (a.file < b.file ? 2 : -1);",
        "return isFuture(a) - isFuture(b) || b.changedMs - a.changedMs || (a.file < b.file ? 1 : -2);",
      ],
  }),
  ...all("src/log/catalog.ts", "No two files have the same name.", {
    "return isFuture(a) - isFuture(b) || b.changedMs - a.changedMs || (a.file < b.file ? 1 : -1);":
      [
        "return isFuture(a) - isFuture(b) || b.changedMs - a.changedMs || (a.file <= b.file ? 1 : -1);",
      ],
  }),
  ...all("src/log/checked.ts", "Any part of the end identifies the log.", {
    "return { text: `${size} ${mtimeMs} ${hashOf(tail.subarray(0, read))}`, size };": [
      "return { text: `${size} ${mtimeMs} ${hashOf(tail.subarray(1, read))}`, size };",
    ],
  }),
  ...all("src/log/checked.ts", "Only speed or memory changes.", {
    "const largeBytes = 1024 * 1024;": ["const largeBytes = 1024 * 1024 + 1;"],
    "const tailBytes = 64 * 1024;": ["const tailBytes = 64 * 1024 + 1;"],
  }),
  ...all("src/log/entry-reader.ts", "No line follows the last one.", {
    "if (next >= this.#table.length) break;": ["if (next > this.#table.length) break;"],
  }),
  ...all("src/log/entry-reader.ts", "Only speed or memory changes.", {
    "const together = { lines: 64, bytes: 64 * 1024 };": [
      "const together = { lines: 64, bytes: 64 * 1024 + 1 };",
    ],
  }),
  ...all("src/log/entry-reader.ts", "What is not in the table has no type and no place.", {
    "const entry = at < this.#table.length ? parseKnown(value, this.#table.typeOf(at)) : null;": [
      "const entry = at <= this.#table.length ? parseKnown(value, this.#table.typeOf(at)) : null;",
    ],
  }),
  ...all("src/log/entry-reader.ts", "What is not in the table has no type and no place.", {
    "if (next >= this.#table.length) break;": [";"],
  }),
  ...all("src/log/entry-reader.ts", "Only how many lines are read together.", {
    "if (line.at !== end || line.at + line.bytes - at > together.bytes) break;": [
      "if (line.at !== end || line.at + line.bytes - at >= together.bytes) break;",
    ],
  }),
  ...all("src/log/entry-table.ts", "Only speed or memory changes.", {
    "this.#lately[index % lately] = { index, id };": [";"],
  }),
  ...all("src/log/entry-table.ts", "Any place before the first says that there is no parent.", {
    "this.#back.set(index, index - 1 - (parent ?? -1));": [
      "this.#back.set(index, index - 1 - (parent ?? -2));",
    ],
  }),
  ...all("src/log/export/export-session.ts", "Only speed or memory changes.", {
    "const sliceMs = 10;": ["const sliceMs = 11;"],
  }),
  ...all("src/log/export/new-file.ts", "Only a random name becomes longer.", {
    'const part = join(dirname(file), `.mini-claude-${randomBytes(8).toString("hex")}.part`);': [
      'const part = join(dirname(file), `.mini-claude-${randomBytes(9).toString("hex")}.part`);',
    ],
  }),
  ...all("src/log/file-window.ts", "Only speed or memory changes.", {
    "if (at < this.#from || end > this.#to) this.#move(at, end);": [
      "if (at <= this.#from || end > this.#to) this.#move(at, end);",
    ],
    "const blockBytes = 64 * 1024;": ["const blockBytes = 64 * 1024 + 1;"],
    "const maxKept = 16 * blockBytes;": ["const maxKept = 17 * blockBytes;"],
  }),
  ...all("src/log/file-window.ts", "An empty window has no piece; a full one takes no more.", {
    "#from = 0;": ["#from = 1;"],
    "if (at < this.#from || end > this.#to) this.#move(at, end);": [
      "if (at < this.#from || end >= this.#to) this.#move(at, end);",
    ],
    "while (this.#to < from + size) {": ["while (this.#to <= from + size) {"],
  }),
  ...all("src/log/checked.ts", "The number of the id is the first field of a record.", {
    "view.setUint32(at + record.id, header.number, true);": [
      "view.setUint32(at - record.id, header.number, true);",
    ],
    "const number = view.getUint32(at + record.id, true);": [
      "const number = view.getUint32(at - record.id, true);",
    ],
  }),
  ...all("src/log/checked.ts", "Only a byte that nobody uses is added to each record.", {
    "const record = { id: 0, parent: 4, bytes: 8, type: 12, size: 13 };": [
      "const record = { id: 0, parent: 4, bytes: 8, type: 12, size: 14 };",
    ],
  }),
  ...all("src/log/lines.ts", "Only the size of a chunk changes.", {
    "const chunkBytes = 4 * 1024 * 1024;": ["const chunkBytes = 4 * 1024 * 1024 + 1;"],
    "const chunk = Buffer.alloc(Math.min(chunkBytes, Math.max(size, 1)));": [
      "const chunk = Buffer.alloc(Math.max(chunkBytes, Math.max(size, 1)));",
      "const chunk = Buffer.alloc(Math.min(chunkBytes, Math.max(size, 2)));",
    ],
  }),
  ...all("src/log/lock.ts", "The probe is empty, and deleted at once.", {
    'writeFileSync(probe, "", { mode: 0o600, flag: "wx" });': [
      'writeFileSync(probe, "", { mode: 385, flag: "wx" });',
    ],
  }),
  ...all("src/log/lock.ts", "Only a random name becomes longer.", {
    '`${file}.${process.pid}.${randomBytes(4).toString("hex")}`;': [
      '`${file}.${process.pid}.${randomBytes(5).toString("hex")}`;',
    ],
  }),
  ...all("src/log/lock.ts", "What fails is ignored; the number of attempts is arbitrary.", {
    "attempt(() => rmSync(mine, { force: true }), undefined);": [
      "attempt(() => rmSync(mine, { force: false }), undefined);",
    ],
    "if (attempt > 20)": ["if (attempt >= 20)", "if (attempt > 21)"],
  }),
  ...all("src/log/log-importer.ts", "The same bytes are written, but in different batches.", {
    "const batchBytes = 64 * 1024;": ["const batchBytes = 64 * 1024 + 1;"],
    "if (this.#filled + bytes > batchBytes) this.#flush();": [
      "if (this.#filled + bytes >= batchBytes) this.#flush();",
    ],
    "if (bytes > batchBytes) return this.#write(Buffer.from(line));": [
      "if (bytes >= batchBytes) return this.#write(Buffer.from(line));",
    ],
  }),
  ...all("src/log/old-entries.ts", "Only speed or memory changes.", {
    "this.#standIns.delete(oldest);": [";"],
    "for (let n = 0; n < perAppend && this.#isFull; n++) this.#leaveOldest();": [
      "for (let n = 1; n < perAppend && this.#isFull; n++) this.#leaveOldest();",
    ],
    "const MIB = 1024 * 1024;": ["const MIB = 1024 * 1024 + 1;"],
    "whole: 8 * MIB,": ["whole: 9 * MIB,"],
    "opening: 32 * MIB,": ["opening: 33 * MIB,", "opening: 32 / MIB,"],
    "this.#lately[index % maxLately] = { index, entry };": [";"],
    "while (this.#newestBytes > memoryLimits.whole) this.#leaveOldest();": [
      "while (this.#newestBytes >= memoryLimits.whole) this.#leaveOldest();",
    ],
    "again: 4 * MIB,": ["again: 5 * MIB,"],
    "const perAppend = 2_000;": ["const perAppend = 2001;"],
    "const maxLately = 512;": ["const maxLately = 513;"],
    "const maxLookedAt = 128;": ["const maxLookedAt = 129;"],
    "this.#last = { index, entry };": [";"],
    "while (this.#againBytes > memoryLimits.again && this.#again.size > 1) {": [
      "while (this.#againBytes >= memoryLimits.again && this.#again.size > 1) {",
    ],
    "this.#lookedAt[(index + n) % maxLookedAt] = { index: index + n, entry };": [
      "this.#lookedAt[(index - n) % maxLookedAt] = { index: index + n, entry };",
    ],
    "if (index >= this.#first) this.#newest.set(index, entry);": [
      "if (index > this.#first) this.#newest.set(index, entry);",
    ],
    "if (lately?.index === index) return lately.entry;": [";"],
    "if (this.#firstAgain <= this.#againOrder.length / 2) return;": [
      ";",
      "if (this.#firstAgain <= this.#againOrder.length / 3) return;",
    ],
  }),
  ...all("src/log/old-entries.ts", "The order has a place for every entry in the map.", {
    "const first = this.#againOrder[this.#firstAgain++] ?? 0;": [
      "const first = this.#againOrder[this.#firstAgain++] ?? 1;",
    ],
  }),
  ...all("src/log/old-entries.ts", "There is no entry before the first.", {
    "const indexOf = (standIn: Entry): number => (standIn instanceof StandIn ? standIn.index : -1);":
      [
        "const indexOf = (standIn: Entry): number => (standIn instanceof StandIn ? standIn.index : -2);",
      ],
  }),
  ...all("src/log/old-entries.ts", "Only how many entries leave the memory at once.", {
    "for (let n = 0; n < perAppend && this.#isFull; n++) this.#leaveOldest();": [
      "for (let n = 0; n <= perAppend && this.#isFull; n++) this.#leaveOldest();",
    ],
  }),
  ...all("src/log/old-entries.ts", "Only how much stays in memory.", {
    "perEntry: 500,": ["perEntry: 501,"],
  }),
  ...all("src/log/parse.ts", "Only speed changes: the guard is built again.", {
    "if (known) return known;": [";"],
  }),
  ...all("src/log/parse.ts", "Only speed: a guard is built again.", {
    "if (guard) guards.set(type, guard);": [";"],
  }),
  ...all("src/log/peek.ts", "Any place before the text ends the search.", {
    "at === 0 ? -1 : bytes.lastIndexOf(needle, at - 1);": [
      "at === 0 ? -2 : bytes.lastIndexOf(needle, at - 1);",
    ],
  }),
  ...all("src/log/peek.ts", "Only the size of a step changes.", {
    "const stepBytes = 1024 * 1024;": ["const stepBytes = 1024 * 1024 + 1;"],
  }),
  ...all("src/log/peek.ts", "Only speed or memory changes.", {
    "const firstBytes = 128 * 1024;": ["const firstBytes = 128 * 1024 + 1;"],
    "for (let bytes = firstBytes; ; bytes *= 4) {": [
      "for (let bytes = firstBytes; ; bytes *= 5) {",
    ],
  }),
  ...all("src/log/peek.ts", "The first line, a session's, is no title.", {
    "for (let to = size; to > 0 && size - to < limit;) {": [
      "for (let to = size; to > 1 && size - to < limit;) {",
    ],
  }),
  ...all("src/log/peek.ts", "The same lines are read, once more.", {
    "if (bytes >= size || bytes >= maxBytes) return lines;": [
      "if (bytes > size || bytes >= maxBytes) return lines;",
    ],
  }),
  ...all("src/log/remove.ts", "Only speed changes: lines without a reference are parsed, too.", {
    [`if (!line.includes('"type":"checkpoint"') && !line.includes('"file":')) return;`]: [";"],
  }),
  ...all("src/log/remove.ts", "The file was there a moment before.", {
    "await rm(file, { force: true });": ["await rm(file, { force: false });"],
  }),
  ...all("src/log/store.ts", "By then the entry is known as written, which is checked first.", {
    "this.#pending.delete(entry.id);": [";"],
  }),
  ...all("src/log/usage.ts", "Only a shortcut: such a line says nothing of a bill.", {
    "if (!telling.test(line)) continue;": [";"],
  }),
  ...all("src/log/writer.ts", "A file with this mode gets it once more.", {
    "if (info.isFile() && (info.mode & 0o077) !== 0) fchmodSync(handle.fd, 0o600);": [
      "if (info.isFile() && (info.mode & 0o077) !== 1) fchmodSync(handle.fd, 0o600);",
    ],
  }),
  ...all(
    "src/log/writer.ts",
    "The failure is reported either way, and nothing waits until the file is closed.",
    {
      "await handle.close();": ["handle.close();"],
      "await this.#release().catch(() => undefined);": ["this.#release().catch(() => undefined);"],
    },
  ),
  ...all("src/log/writer.ts", "One byte too many is enough to see that it is not what failed.", {
    "const tail = new Uint8Array(Math.max(0, Math.min(info.size - bytes, most + 1)));": [
      "const tail = new Uint8Array(Math.max(0, Math.min(info.size - bytes, most + 2)));",
    ],
  }),
  ...all("src/log/writer.ts", "A file with another mode gets this one right after it.", {
    'const handle = await open(this.#file, "a+", 0o600);': [
      'const handle = await open(this.#file, "a+", 385);',
    ],
  }),
];
