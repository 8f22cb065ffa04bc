import { expect, spyOn, test } from "bun:test";
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { disk } from "../../src/base/durable.ts";
import { Checkpoints } from "../../src/log/checkpoints.ts";
import { removeSession } from "../../src/log/catalog.ts";
import { createLog } from "../../src/log/store.ts";
import { userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";

const root = testFolder();
const folder = join(root, "checkpoints");
const kept = new Checkpoints(folder);
const encode = (text: string) => new TextEncoder().encode(text);
const locate = (hash: string) => join(folder, hash.slice(0, 2), hash);

test("content is stored once under its hash, readable by its owner only", async () => {
  const bytes = Uint8Array.from([0, 255, 10, 13]);
  const [hash, again] = await Promise.all([kept.save(bytes), kept.save(bytes)]);
  expect(again).toBe(hash);
  const writes = spyOn(disk, "write");
  expect(await kept.save(bytes)).toBe(hash);
  expect(writes).not.toHaveBeenCalled();
  writes.mockRestore();
  expect([...(await kept.load(hash))]).toEqual([...bytes]);
  expect(readdirSync(join(folder, hash.slice(0, 2)))).toEqual([hash]);
  expect(statSync(locate(hash)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("a checkpoint that is missing, damaged or misnamed is an error", async () => {
  const hash = await kept.save(encode("whole"));
  writeFileSync(locate(hash), "other");
  await expect(kept.load(hash)).rejects.toThrow("is damaged");
  await expect(kept.load("0".repeat(64))).rejects.toThrow("it does not exist");
  await expect(kept.load("../../etc/passwd")).rejects.toThrow("is not a checkpoint");
});

test("a session is removed with the files beside it, unless it is open", async () => {
  const place = join(root, "remove");
  const log = createLog(place, "s");
  await log.append(userFact("a"));
  writeFileSync(`${log.file}.torn`, "x");
  expect(() => removeSession(log.file)).toThrow("is open");
  await log.close();
  removeSession(log.file);
  expect(readdirSync(place)).toEqual([]);
  writeFileSync(`${log.file}.torn`, "x");
  removeSession(log.file);
  expect(readdirSync(place)).toEqual([]);
  expect(() => removeSession(join(root, "settings.json"))).toThrow("is not a session log");
});

test("content that cannot be written is an error that says why, and leaves nothing", async () => {
  const full = join(root, "full");
  const files = () =>
    readdirSync(full, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  let isRemoved = false;
  using _ = spyOn(disk, "write").mockImplementation(async () => {
    for (const { parentPath, name } of isRemoved ? files() : []) rmSync(join(parentPath, name));
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  });
  for (isRemoved of [false, true]) {
    await expect(new Checkpoints(full).save(encode("new"))).rejects.toThrow("disk is full");
    expect(files()).toEqual([]);
  }
});
