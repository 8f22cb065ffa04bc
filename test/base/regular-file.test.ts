import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  NotRegular,
  openRegular,
  readIfPresent,
  textOfRegular,
} from "../../src/base/regular-file.ts";
import { testFolder } from "../folder.ts";

const root = testFolder("regular");
const at = (name: string): string => join(root, name);
writeFileSync(at("file"), "text");
mkdirSync(at("folder"));
symlinkSync("file", at("link"));
Bun.spawnSync(["mkfifo", at("pipe")]);

test("a regular file is read; of none there is nothing", async () => {
  expect(String(await readIfPresent(at("file")))).toBe("text");
  await using opened = await openRegular(at("file"));
  expect(opened.stat.size).toBe(4n);
  for (const name of ["none", "none/deep", "file/deep"])
    expect(await readIfPresent(at(name))).toBeNull();
});

test.each([
  ["folder", true],
  ["link", false],
  ["pipe", false],
])("in place of a file, a %s is refused", async (name, isFolder) => {
  const failure = await readIfPresent(at(name)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(NotRegular);
  expect(failure).toMatchObject({ isFolder });
});

test("a device is refused before it is opened", () =>
  expect(openRegular("/dev/null")).rejects.toThrow(NotRegular));

test("a small file is read as text; a longer one, a folder, a link and a pipe count as none", async () => {
  expect(await textOfRegular(at("file"), 4)).toBe("text");
  expect(await textOfRegular(at("file"), 3)).toBeNull();
  for (const name of ["none", "folder", "link", "pipe"])
    expect(await textOfRegular(at(name), 99)).toBeNull();
});
