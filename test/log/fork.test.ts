import { expect, spyOn, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { disk } from "../../src/base/durable.ts";
import { createLog, forkLog, openLog } from "../../src/log/store.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { brief, lineOf, userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";
import { closedLog } from "../saved-session.ts";

const root = testFolder();
const entry = (id: string, parent: string | null): Entry => ({
  id,
  parent,
  at: "",
  ...userFact(id),
});

test("a fork has the same lines as the path, even unknown ones, and continues on its own", async () => {
  const log = createLog(join(root, "a"));
  await log.append(userFact("one"));
  await log.append({ type: "unknown", raw: { type: "hologram", z: 1, a: 2 } });
  await log.append(userFact("left behind"));
  await log.append(userFact("three"), { parent: "e2" });
  // Left by a fork that was killed.
  await Bun.write(join(root, "b/fork.jsonl.part"), "part");
  const openFiles = () => readdirSync("/dev/fd").length;
  const before = openFiles();
  const file = forkLog(log.file, "e4", join(root, "b"), "fork");
  expect(openFiles()).toBe(before);
  const lines = readFileSync(log.file, "utf8").split("\n");
  expect(readFileSync(file, "utf8").split("\n")).toEqual(
    [lines[0], lines[1], lines[3], ""].map(String),
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const fork = openLog(file);
  expect(fork.session).toBe("fork");
  expect(fork.path).toEqual(log.path);
  expect((await fork.append(userFact("four"))).id).toBe("e5");
  expect(log.head).toBe("e4");
  await Promise.all([fork.close(), log.close()]);
});

test("a fork has whole lines where the other session's last one lacks its newline", () => {
  // Lines are written in batches of 1,000.
  const lines = Array.from({ length: 1_100 }, (_, at) =>
    lineOf(entry(`e${at + 1}`, at === 0 ? null : `e${at}`)),
  );
  const file = join(root, "cut.jsonl");
  writeFileSync(file, `${lines[0]}garbage\n\n${lines.slice(1).join("").trimEnd()}`);
  expect(readFileSync(forkLog(file, null, join(root, "e")), "utf8")).toBe(lines.join(""));
  writeFileSync(file, "garbage\n");
  expect(() => forkLog(file, null, join(root, "e"))).toThrow("is empty; there is nothing to fork");
});

test("a fork that fails leaves nothing", async () => {
  const log = await closedLog(join(root, "f"), [userFact("a")]);
  using _ = spyOn(disk, "rename").mockImplementation(() => {
    throw Object.assign(new Error("full"), { code: "ENOSPC" });
  });
  expect(() => forkLog(log.file, null, join(root, "g"))).toThrow("the disk is full");
  expect(readdirSync(join(root, "g"))).toEqual([]);
});

test("a fork starts from an earlier entry, from the head, or fails", async () => {
  const log = await closedLog(join(root, "c"), ["a", "b", "c"].map(userFact));
  const at = (id: string | null) =>
    openLog(forkLog(log.file, id, join(root, "d")), { readOnly: true }).path.map(brief);
  expect(at("e2")).toEqual(["e1<- user", "e2<e1 user"]);
  expect(at(null)).toHaveLength(3);
  expect(() => at("e9")).toThrow(`There is no entry e9 in ${log.file} to fork from.`);
  expect(() => forkLog(log.file, null, join(root, "c"), log.session)).toThrow("already exists");
  expect(() => forkLog(join(root, "none.jsonl"), null, root)).toThrow("it does not exist");
});
