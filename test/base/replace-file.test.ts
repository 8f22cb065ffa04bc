import { afterEach, expect, mock, spyOn, test } from "bun:test";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { disk } from "../../src/base/durable.ts";
import { NotAFile, removeParts, replaceFile } from "../../src/base/replace-file.ts";
import { watchDisk } from "../log/watch-disk.ts";
import { testFolder } from "../folder.ts";

const root = testFolder("disk");
afterEach(() => mock.restore());
const temporaryFolder = (): string => mkdtempSync(join(root, "f-"));

test("a file keeps its mode, but does not run as its owner; a new one is made with its folders", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "run.sh");
  writeFileSync(file, "old");
  chmodSync(file, 0o6751);
  await replaceFile(file, Buffer.from("new"));
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(statSync(file).mode & 0o7777).toBe(0o751);
  const usual = join(folder, "usual");
  writeFileSync(usual, "");
  await replaceFile(join(folder, "new/deep/file"), Buffer.from("new"));
  expect(readFileSync(join(folder, "new/deep/file"), "utf8")).toBe("new");
  expect(statSync(join(folder, "new/deep/file")).mode).toBe(statSync(usual).mode);
  expect(readdirSync(join(folder, "new/deep"))).toEqual(["file"]);
});

test("new folders are synced, the new content before it gets the name, and the name after it", async () => {
  const folder = temporaryFolder();
  const events = watchDisk(folder);
  await replaceFile(join(folder, "x/y/a"), Buffer.from("new"));
  const steps = events.map((event) => event.replace(/\S*\.tmp/, "part").replace(/ to .*/, ""));
  const written = ["write part", "sync part", "rename part", "sync x/y"];
  expect(steps).toEqual(["sync .", "sync x", ...written]);
});

test("if the new content cannot be written, the old one stays, and nothing else", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "a"), "old");
  spyOn(disk, "fdatasync").mockRejectedValue(new Error("no"));
  await expect(replaceFile(join(folder, "a"), Buffer.from("new"))).rejects.toThrow("no");
  expect(readdirSync(folder)).toEqual(["a"]);
  expect(readFileSync(join(folder, "a"), "utf8")).toBe("old");
});

test("a symlink or a folder in the place of the file is refused", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "other"), "other");
  symlinkSync("other", join(folder, "link"));
  mkdirSync(join(folder, "folder"));
  for (const name of ["link", "folder"])
    await expect(replaceFile(join(folder, name), Buffer.from("new"))).rejects.toThrow(NotAFile);
  expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(folder, "other"), "utf8")).toBe("other");
  expect(readdirSync(folder).toSorted()).toEqual(["folder", "link", "other"]);
});

test("what killed processes left beside their files is removed, and nothing else", async () => {
  const folder = temporaryFolder();
  const id = crypto.randomUUID();
  const [left, ours] = [`.99999999.${id}.tmp`, `.${process.pid}.${id}.tmp`];
  const others = [`x${left}`, `${left}.bak`, ".0.tmp", ".tmp", "file"];
  for (const name of [left, ours, ...others]) writeFileSync(join(folder, name), "");
  mkdirSync(join(folder, left.replace(".9", ".8"), "in"), { recursive: true });
  await removeParts(folder);
  expect(readdirSync(folder).toSorted()).toEqual([ours, ...others].toSorted());
});
