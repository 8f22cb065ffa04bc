import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Checkpoints } from "../../src/log/checkpoints.ts";
import { rewindFiles } from "../../src/log/rewind-files.ts";
import type { EntryOf } from "../../src/protocol/entry.ts";
import { testFolder } from "./folder.ts";

const root = testFolder();
const kept = new Checkpoints(join(root, "kept"));
let serial = 0;

/** Changes a file as a tool does, and returns the checkpoint of it; null: the file is absent. */
async function change(path: string, text: string | null): Promise<EntryOf<"checkpoint">> {
  const before = existsSync(path) ? await kept.save(readFileSync(path)) : null;
  if (text === null) rmSync(path);
  else writeFileSync(path, text);
  const after = text === null ? null : await kept.save(Buffer.from(text));
  const id = `e${++serial}`;
  const files = [{ path, before, after }];
  return { id, parent: null, at: "", type: "checkpoint", toolUse: id, files };
}

function workspace(): (name: string) => string {
  const folder = join(root, `workspace-${++serial}`);
  mkdirSync(folder);
  return (name) => join(folder, name);
}

test("files are put back as they were before the first change", async () => {
  const file = workspace();
  writeFileSync(file("a"), "original");
  writeFileSync(file("deleted"), "was here");
  const checkpoints = [
    await change(file("a"), "first"),
    await change(file("a"), "second"),
    await change(file("created"), "new"),
    await change(file("deleted"), null),
  ];
  const said = await rewindFiles(kept, checkpoints);
  expect(readFileSync(file("a"), "utf8")).toBe("original");
  expect(readFileSync(file("deleted"), "utf8")).toBe("was here");
  expect(existsSync(file("created"))).toBe(false);
  for (const name of ["a", "created", "deleted"]) expect(said).toContain(file(name));
});

test("a file that the user changed since is left alone, and named", async () => {
  const file = workspace();
  writeFileSync(file("mine"), "original");
  writeFileSync(file("theirs"), "original");
  const checkpoints = [
    await change(file("mine"), "by the tool"),
    await change(file("theirs"), "by the tool"),
    await change(file("new"), "by the tool"),
  ];
  writeFileSync(file("mine"), "by the user");
  rmSync(file("new"));
  const said = await rewindFiles(kept, checkpoints);
  expect(readFileSync(file("mine"), "utf8")).toBe("by the user");
  expect(readFileSync(file("theirs"), "utf8")).toBe("original");
  expect(existsSync(file("new"))).toBe(false);
  const [restored = "", left = ""] = said.split(file("theirs"));
  expect(restored).not.toContain(file("mine"));
  expect(left).toContain(file("mine"));
});

test("nothing to put back is said so", async () => {
  expect(await rewindFiles(kept, [])).toContain("No file");
});
