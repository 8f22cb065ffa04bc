import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promptHistory } from "../../../src/app/services/prompt-files.ts";

const root = mkdtempSync(join(tmpdir(), "history-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test("prompts come back in the next session, oldest first, in a private file", async () => {
  const file = join(root, "new", "history.jsonl");
  const history = promptHistory(file);
  expect(await history.load()).toEqual([]);
  await history.save("first");
  await history.save("two\nlines");
  expect(await history.load()).toEqual(["first", "two\nlines"]);
  expect(await promptHistory(file).load()).toEqual(["first", "two\nlines"]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(root, "new"))).mode & 0o777).toBe(0o700);
});

test("lines that hold no prompt are skipped", async () => {
  const file = join(root, "damaged.jsonl");
  await writeFile(file, '"a"\n{"b":1}\nhalf a li\n\n7\n"c"');
  expect(await promptHistory(file).load()).toEqual(["a", "c"]);
});

test("the file is read once: a walk does not see what another process adds", async () => {
  const file = join(root, "once.jsonl");
  await writeFile(file, '"a"\n');
  const history = promptHistory(file);
  await history.load();
  await writeFile(file, '"a"\n"b"\n');
  expect(await history.load()).toEqual(["a"]);
});

test("at most 1,000 prompts are offered, the newest", async () => {
  const file = join(root, "many.jsonl");
  await writeFile(file, Array.from({ length: 1_200 }, (_, i) => `"${i}"\n`).join(""));
  const history = promptHistory(file);
  expect([(await history.load()).length, (await history.load())[0]]).toEqual([1_000, "200"]);
  await history.save("last");
  const prompts = await history.load();
  expect([prompts.length, prompts[0], prompts.at(-1)]).toEqual([1_000, "201", "last"]);
});

test("a file over 1 MB is cut to its newest half, without a broken line", async () => {
  const file = join(root, "huge.jsonl");
  const line = (i: number): string => `"${String(i).padStart(9, "0")}${"x".repeat(9_988)}"\n`;
  await writeFile(file, Array.from({ length: 150 }, (_, i) => line(i)).join(""));
  const prompts = await promptHistory(file).load();
  expect(prompts.at(-1)).toStartWith("000000149");
  expect(prompts.length).toBe(104);
  const size = (await stat(file)).size;
  expect(size).toBeLessThanOrEqual(512 * 1024);
  expect(size).toBeGreaterThan(500 * 1024);
  expect(await readFile(file, "utf8")).toEndWith(line(149));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("a file of just over 1 MB is cut to exactly half of that", async () => {
  const file = join(root, "exact.jsonl");
  const line = (i: number): string => `"${String(i).padStart(9, "0")}${"x".repeat(8_180)}"\n`;
  const whole = Array.from({ length: 128 }, (_, i) => line(i)).join("");
  expect(whole.length).toBe(1024 * 1024);
  await writeFile(file, whole);
  await promptHistory(file).load();
  expect((await stat(file)).size).toBe(1024 * 1024);
  await writeFile(file, `${whole}\n`);
  expect(await promptHistory(file).load()).toHaveLength(127);
  expect((await stat(file)).size).toBe(512 * 1024);
});

test("a file that is too long and cannot be replaced is still read", async () => {
  const folder = join(root, "locked");
  const file = join(folder, "history.jsonl");
  await mkdir(folder);
  await writeFile(file, `"${"x".repeat(1024 * 1024)}"\n"last"\n`);
  await mkdir(`${file}.${process.pid}.part`);
  expect(await promptHistory(file).load()).toEqual(["last"]);
});

test("a file that cannot be written rejects, and the prompt is still remembered", async () => {
  const file = join(root, "a-folder");
  await mkdir(file);
  const history = promptHistory(file);
  await expect(history.save("kept")).rejects.toThrow("EISDIR");
  expect(await history.load()).toEqual(["kept"]);
});
