import { afterAll, expect, mock, spyOn, test } from "bun:test";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { saveJson } from "../../src/config/json-file.ts";
import { disk } from "../../src/base/durable.ts";
import { watchDisk } from "../log/watch-disk.ts";

const root = mkdtempSync(join(tmpdir(), "save-"));
afterAll(() => rmSync(root, { recursive: true }));

test("a file is synced before it takes the old one's name, and its folder after", () => {
  const file = join(root, "own", "trust.json");
  const events = watchDisk(root);
  saveJson(file, { a: 1 });
  const part = `own/trust.json.${process.pid}.part`;
  expect(events).toEqual([
    "sync .",
    `write ${part}`,
    `sync ${part}`,
    `rename ${part} to own/trust.json`,
    "sync own",
  ]);
  expect(readFileSync(file, "utf8")).toBe('{\n  "a": 1\n}\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(root, "own")).mode & 0o777).toBe(0o700);
});

test("a disk error leaves the old file, and no temporary file", () => {
  const folder = join(root, "full");
  const file = join(folder, "state.json");
  saveJson(file, { a: 1 });
  spyOn(disk, "fsync").mockImplementation(() => {
    throw new Error("ENOSPC");
  });
  expect(() => saveJson(file, { a: 2 })).toThrow("ENOSPC");
  mock.restore();
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ a: 1 });
  expect(readdirSync(folder)).toEqual(["state.json"]);
});

test("a link to a file in another folder stays a link, even before that file exists", async () => {
  const folder = mkdtempSync(join(tmpdir(), "linked-"));
  mkdirSync(join(folder, "dot"));
  for (const name of ["settings.json", "trust.json"]) {
    const link = join(folder, name);
    symlinkSync(join("dot", name), link);
    if (name === "trust.json") writeFileSync(join(folder, "dot", name), "{}");
    saveJson(link, { theme: "dark" });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(join(folder, "dot", name), "utf8"))).toEqual({ theme: "dark" });
  }
  rmSync(folder, { recursive: true });
});
