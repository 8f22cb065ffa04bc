import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, publishTogether } from "../../src/base/durable.ts";
import { changeInFolder, inFolder } from "../../src/base/folder.ts";
import { testFolder } from "../folder.ts";

const root = testFolder("disk");
const temporaryFolder = (): string => mkdtempSync(join(root, "f-"));

const read = (folder: string, name: string) =>
  inFolder(folder, { create: false }, (pathOf) => readFile(pathOf(name), "utf8"));

test("files of a folder are read, and written with the folders that are missing", async () => {
  const top = temporaryFolder();
  writeFileSync(join(top, "a.txt"), "a");
  expect(await read(top, "a.txt")).toBe("a");
  await inFolder(join(top, "new/deep"), { create: true }, async (pathOf) => {
    const handle = await open(pathOf("b.txt"), "w");
    await handle.writeFile("b");
    await handle.close();
  });
  expect(readFileSync(join(top, "new/deep/b.txt"), "utf8")).toBe("b");
  await expect(read(join(top, "none"), "a.txt")).rejects.toThrow("ENOENT");
  await read(join(top, "none"), "a.txt").catch(() => undefined);
  expect(existsSync(join(top, "none"))).toBe(false);
  await expect(read(join(top, "a.txt"), "x")).rejects.toThrow("ENOTDIR");
});

test.each(["first", "middle", "last"])(
  "a symlink as the %s part of the path is not followed",
  async (where) => {
    const top = temporaryFolder();
    mkdirSync(join(top, "outside/y/z"), { recursive: true });
    for (const folder of ["outside", "outside/y", "outside/y/z"])
      writeFileSync(join(top, folder, "s"), "secret");
    mkdirSync(join(top, "x/y"), { recursive: true });
    if (where === "first") symlinkSync("outside", join(top, "link"));
    if (where === "middle") symlinkSync("../outside/y", join(top, "x/link"));
    if (where === "last") symlinkSync("../../outside/y/z", join(top, "x/y/link"));
    const folder = { first: "link/y/z", middle: "x/link/z", last: "x/y/link" }[where] ?? "";
    await expect(read(join(top, folder), "s")).rejects.toThrow();
    await expect(
      inFolder(join(top, folder), { create: true }, async () => undefined),
    ).rejects.toThrow();
  },
);

test("a folder that is replaced after it was opened is still the one that was opened", async () => {
  const top = temporaryFolder();
  mkdirSync(join(top, "in"));
  mkdirSync(join(top, "out"));
  writeFileSync(join(top, "in/f"), "inside");
  writeFileSync(join(top, "out/f"), "secret");
  const text = await inFolder(join(top, "in"), { create: false }, async (pathOf) => {
    renameSync(join(top, "in"), join(top, "old"));
    symlinkSync("out", join(top, "in"));
    return readFile(pathOf("f"), "utf8");
  });
  expect(text).toBe("inside");
});

test.skipIf(process.platform !== "linux")(
  "a change in a folder that was replaced meanwhile is an error, and leads nowhere else",
  async () => {
    const top = temporaryFolder();
    mkdirSync(join(top, "in"));
    mkdirSync(join(top, "out"));
    const change = (swap: () => void) =>
      changeInFolder(join(top, "in"), { create: false }, async (pathOf) => {
        swap();
        await writeFile(pathOf("f"), "new");
      });
    await change(() => undefined);
    expect(readFileSync(join(top, "in/f"), "utf8")).toBe("new");
    const swapped = change(() => {
      renameSync(join(top, "in"), join(top, "old"));
      symlinkSync("out", join(top, "in"));
    });
    await expect(swapped).rejects.toThrow(`The folder ${top}/in was replaced in the meantime.`);
    expect(existsSync(join(top, "out/f"))).toBe(false);
  },
);

test("a folder that cannot be made is an error, and nothing stays open", async () => {
  const count = (): number => readdirSync("/dev/fd").length;
  const before = count();
  const make = (folder: string) => inFolder(folder, { create: true }, async () => undefined);
  await expect(make("/proc/none")).rejects.toThrow("mkdir");
  await make(join(temporaryFolder(), "new"));
  makeFolder(join(temporaryFolder(), "a/b"));
  await publishTogether(temporaryFolder(), join(root, "published"));
  expect(count()).toBe(before);
});

test("a folder that many calls make at the same time is made once", async () => {
  const folder = join(temporaryFolder(), "new/deep");
  const made = Array.from({ length: 20 }, () =>
    inFolder(folder, { create: true }, async (pathOf) => pathOf("a.txt") !== ""),
  );
  expect(new Set(await Promise.all(made))).toEqual(new Set([true]));
});
