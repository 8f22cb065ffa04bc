import { afterAll, expect, test } from "bun:test";
import { appendFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "../../properties.ts";
import { readHead, readNew, readTail } from "../../../src/tools/shell/output-file.ts";
import { leave, temporaryFolder } from "../room.ts";

afterAll(leave);

test("new output never loses a character that was half written", async () => {
  const file = join(temporaryFolder(), "out");
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.array(fc.integer({ min: 1, max: 7 })),
      async (text, sizes) => {
        const bytes = Buffer.from(text.toWellFormed());
        writeFileSync(file, "");
        let seen = "";
        let [written, read] = [0, 0];
        for (const size of [...sizes, bytes.length]) {
          appendFileSync(file, bytes.subarray(written, written + size));
          written = Math.min(bytes.length, written + size);
          const { text: news, from, to } = await readNew(file, read, 1_000);
          expect(from).toBe(read);
          seen += news;
          read = to;
        }
        expect(Buffer.from(seen)).toEqual(bytes);
        expect(read).toBe(bytes.length);
      },
    ),
  );
});

test("only the newest part of much new output is read", async () => {
  const file = join(temporaryFolder(), "out");
  writeFileSync(file, "start");
  truncateSync(file, 4 * 1024 ** 3);
  appendFileSync(file, "é end");
  const before = process.memoryUsage().rss;
  const { text, from, to } = await readNew(file, 5, 5);
  expect([text, to - from, to]).toEqual([" end", 5, 4 * 1024 ** 3 + 6]);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 ** 2);
});

test.each([
  [4, "aé", "z"],
  [5, "aé", "🙂z"],
  [7, "aé🙂", "é🙂z"],
  [100, "aé🙂z", "aé🙂z"],
])("the first and last %d bytes hold whole characters", async (bytes, head, tail) => {
  const file = join(temporaryFolder(), "out");
  writeFileSync(file, "aé🙂z");
  expect(await readHead(file, bytes)).toBe(head);
  expect((await readTail(file, bytes)).text).toBe(tail);
});
