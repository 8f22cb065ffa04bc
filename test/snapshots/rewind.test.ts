import { expect, spyOn, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { disk } from "../../src/base/durable.ts";
import { Checkpoints, contentId } from "../../src/log/checkpoints.ts";
import { inNewPlace, openContents, rewindFiles } from "../../src/snapshots/rewind.ts";
import type { EntryOf } from "../../src/protocol/entry.ts";
import { sessionWith } from "../facts.ts";
import { testFolder } from "../folder.ts";

const root = testFolder();
const store = new Checkpoints(join(root, "store"));
let serial = 0;

/** Changes a file as a tool does, and returns the checkpoint of it; null: the file is absent. */
async function change(path: string, text: string | null): Promise<EntryOf<"checkpoint">> {
  const before = existsSync(path) ? await store.save(readFileSync(path)) : null;
  if (text === null) rmSync(path);
  else writeFileSync(path, text);
  const after = text === null ? null : await store.save(Buffer.from(text));
  const id = `e${++serial}`;
  const files = [{ path, before, after }];
  return { id, parent: null, at: "", type: "checkpoint", toolUse: id, files };
}

function workspace(): (name: string) => string {
  const folder = join(root, `workspace-${++serial}`);
  mkdirSync(folder);
  return (name) => join(folder, name);
}

const read = (path: string): string | null =>
  existsSync(path) ? readFileSync(path, "utf8") : null;

const all = (file: (name: string) => string, ...names: string[]) =>
  names.map((name) => read(file(name)));

const contents = openContents(join(root, "own"), root, store);

const rewind = async (
  undo: Parameters<typeof rewindFiles>[1]["undo"],
  redo: Parameters<typeof rewindFiles>[1]["redo"] = [],
): Promise<string> => (await rewindFiles(contents, { undo, redo }, (path) => basename(path))).text;

test("changes from before the folder was renamed, twice, are taken back in the new place", async () => {
  const file = workspace();
  const [first, second, third] = [file(""), `${file("")}-b`, `${file("")}-c`];
  const began = (cwd: string, id: string) => ({ ...sessionWith(), id, parent: null, at: "", cwd });
  writeFileSync(join(first, "a"), "original");
  const undo = [await change(join(first, "a"), "1")];
  renameSync(first, second);
  undo.push(await change(join(second, "a"), "2"), await change(join(second, "new"), "x"));
  renameSync(second, third);
  const path = [began(first, "s1"), began(second, "s2"), began(third, "s3")];
  const there = inNewPlace({ undo, redo: [] }, path, third);
  await rewindFiles(contents, there, (path) => basename(path));
  expect(readdirSync(third)).toEqual(["a"]);
  expect(read(join(third, "a"))).toBe("original");
});

test("a folder that is still there keeps its changes when the session goes on elsewhere", async () => {
  const file = workspace();
  const undo = [await change(file("a"), "1")];
  const path = [{ ...sessionWith(), id: "s1", parent: null, at: "", cwd: file("") }];
  expect(inNewPlace({ undo, redo: [] }, path, join(root, "other")).undo).toEqual(undo);
});

test("files return to their state before the first change; each one is listed", async () => {
  const file = workspace();
  writeFileSync(file("a"), "original");
  writeFileSync(file("deleted"), "was here");
  const first = await change(file("a"), "first");
  const byCommand = await change(file("a"), "second");
  chmodSync(file("a"), 0o604);
  const files = byCommand.files.map((found) => ({ ...found, mode: 0o640, modeAfter: 0o604 }));
  const undo = [
    first,
    { ...byCommand, files },
    await change(file("created"), "new"),
    await change(file("deleted"), null),
  ];
  expect(await rewind(undo)).toBe("Restored a, deleted. Deleted created.");
  expect(all(file, "a", "created", "deleted")).toEqual(["original", null, "was here"]);
  expect(statSync(file("a")).mode & 0o777).toBe(0o640);
  expect(statSync(file("deleted")).mode & 0o777).toBe(0o666 & ~process.umask());
});

test("a file that the user changed, created again or deleted is left alone, and named", async () => {
  const file = workspace();
  for (const name of ["changed", "removed", "theirs"]) writeFileSync(file(name), "original");
  const undo = [
    await change(file("changed"), "by the tool"),
    await change(file("removed"), "by the tool"),
    await change(file("theirs"), "by the tool"),
    await change(file("new"), "by the tool"),
  ];
  writeFileSync(file("changed"), "by the user");
  writeFileSync(file("new"), "by the user");
  rmSync(file("removed"));
  expect(await rewind(undo)).toBe(
    "Restored theirs. Skipped (modified since): changed, new, removed.",
  );
  expect(all(file, "changed", "removed", "theirs", "new")).toEqual([
    "by the user",
    null,
    "original",
    "by the user",
  ]);
});

test("a second rewind continues from where the first one stopped", async () => {
  const file = workspace();
  writeFileSync(file("a"), "one");
  const first = await change(file("a"), "two");
  const second = await change(file("a"), "three");
  const { files } = await rewindFiles(contents, { undo: [second], redo: [] }, basename);
  expect(read(file("a"))).toBe("two");
  // A rewind is a change like any other.
  const third = { ...second, files };
  expect(await rewind([first, second, third])).toBe("Restored a.");
  expect(read(file("a"))).toBe("one");
});

test("another branch is entered with its own changes; the shared past stays", async () => {
  const file = workspace();
  writeFileSync(file("shared"), "old");
  writeFileSync(file("a"), "one");
  await change(file("shared"), "new");
  const left = [await change(file("a"), "two"), await change(file("left"), "x")];
  expect(await rewind(left)).toBe("Restored a. Deleted left.");
  const entered = [await change(file("a"), "other"), await change(file("entered"), "y")];
  expect(await rewind(entered, left)).toBe("Restored a, left. Deleted entered.");
  expect(all(file, "shared", "a", "left", "entered")).toEqual(["new", "two", "x", null]);
});

test("a missing checkpoint or folder does not keep the other files from being rewound", async () => {
  const file = workspace();
  mkdirSync(file("folder"));
  for (const name of ["first", "lost", "last"]) writeFileSync(file(name), name);
  const inside = join(file("folder"), "inside");
  const undo = [
    await change(file("first"), "x"),
    await change(file("lost"), "x"),
    await change(inside, "x"),
    await change(inside, null),
    await change(file("last"), "x"),
  ];
  const hash = undo[1]?.files[0]?.before ?? "";
  rmSync(join(root, "store", hash.slice(0, 2), hash));
  rmSync(file("folder"), { recursive: true });
  const said = await rewind(undo);
  expect(said).toStartWith("Restored first, last. Could not restore lost: The checkpoint ");
  expect(said).toEndWith(" cannot be read: it does not exist.");
  expect(read(file("lost"))).toBe("x");
  const again = await rewind([], [await change(file("gone"), "y"), ...undo.slice(2, 3)]);
  expect(again).toBe("Restored folder, inside.");
  expect(read(inside)).toBe("x");
});

test("a folder is made again where the turn left a file of its name", async () => {
  const file = workspace();
  mkdirSync(file("d"));
  writeFileSync(file("d/a"), "original");
  const undo = [await change(file("d/a"), null)];
  rmSync(file("d"), { recursive: true });
  undo.push(await change(file("d"), "x"));
  expect(await rewind(undo)).toBe("Restored d, a.");
  expect(read(file("d/a"))).toBe("original");
});

test("what an earlier version only named is left alone", async () => {
  const file = workspace();
  mkdirSync(file("folder"));
  const { ino, birthtimeMs } = statSync(file("folder"));
  writeFileSync(file("large"), "x");
  const files = [
    { path: file("folder"), before: null, after: `tree:${ino}-${birthtimeMs}` },
    { path: file("large"), before: "same:1-2-3", after: null },
    { path: file("gone"), before: "same:1-2-3", after: null },
    {
      path: file("run"),
      before: contentId(Buffer.from("x")),
      after: null,
      executable: true as const,
    },
  ];
  await store.save(Buffer.from("x"));
  const undo = [{ ...(await change(file("new"), "y")), files }];
  expect(await rewind(undo)).toBe(
    "Restored run. Skipped (modified since): folder, large. Skipped (not in the snapshot): gone.",
  );
  expect(statSync(file("run")).mode & 0o777).toBe(0o755);
});

test("a symlink in the place of a file or of its folder is not followed", async () => {
  const file = workspace();
  mkdirSync(file("folder"));
  const undo = [await change(file("a"), "ours"), await change(file("folder/b"), "ours")];
  undo.push(await change(file("a"), "later"), await change(file("folder/b"), "later"));
  mkdirSync(file("elsewhere"));
  renameSync(file("a"), file("elsewhere/a"));
  symlinkSync(file("elsewhere/a"), file("a"));
  renameSync(file("folder"), file("elsewhere/folder"));
  symlinkSync(file("elsewhere/folder"), file("folder"));
  expect(await rewind(undo.slice(2))).toBe("Skipped (modified since): a, b.");
  expect(await rewind(undo)).toBe("Skipped (modified since): a, b.");
  expect(read(file("elsewhere/a"))).toBe("later");
  expect(read(file("elsewhere/folder/b"))).toBe("later");
});

test("a file that cannot be restored keeps its content; once it can, it keeps its mode", async () => {
  const file = workspace();
  writeFileSync(file("a"), "original");
  const undo = [await change(file("a"), "changed")];
  chmodSync(file("a"), 0o750);
  // Left by a rewind that was killed.
  writeFileSync(file(`.${2 ** 22 + 1}.${crypto.randomUUID()}.tmp`), "part");
  const { write } = disk;
  disk.write = () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
  const failed = await rewind(undo).finally(() => (disk.write = write));
  expect(failed).toBe("Could not restore a: the disk is full.");
  expect(read(file("a"))).toBe("changed");
  expect(await rewind(undo)).toBe("Restored a.");
  expect(read(file("a"))).toBe("original");
  expect(statSync(file("a")).mode & 0o777).toBe(0o750);
  expect(readdirSync(file("."))).toEqual(["a"]);
});

test.skipIf(!existsSync("/proc/self/fd"))(
  "swapping a folder for a symlink in the middle redirects no write",
  async () => {
    const file = workspace();
    mkdirSync(file("folder"));
    mkdirSync(file("elsewhere"));
    writeFileSync(file("folder/a"), "original");
    const undo = [await change(file("folder/a"), "changed")];
    const { fdatasync } = disk;
    disk.fdatasync = (fd) => {
      renameSync(file("folder"), file("moved"));
      symlinkSync(file("elsewhere"), file("folder"));
      return fdatasync(fd);
    };
    const told = await rewind(undo).finally(() => (disk.fdatasync = fdatasync));
    expect(told).toMatch(/^Could not restore a: The folder .* was replaced in the meantime\.$/);
    expect(readdirSync(file("elsewhere"))).toEqual([]);
    expect(readdirSync(file("moved"))).toEqual(["a"]);
  },
);

test("of many files, the first are named and the others counted", async () => {
  const file = workspace();
  const undo: EntryOf<"checkpoint">[] = [];
  for (let at = 100; at < 160; at += 1) undo.push(await change(file(`f${at}`), "new"));
  const text = await rewind(undo);
  expect(text).toStartWith("Deleted f159, f158, ");
  expect(text).toEndWith(", f110 and 10 more.");
  expect(readdirSync(file("."))).toEqual([]);
  const lost: EntryOf<"checkpoint">[] = [];
  for (let at = 100; at < 152; at += 1) {
    writeFileSync(file(`f${at}`), `${at}`);
    lost.push(await change(file(`f${at}`), "new"));
  }
  const empty = openContents(join(root, "own"), root, new Checkpoints(join(root, "empty")));
  const failed = await rewindFiles(empty, { undo: lost, redo: [] }, basename);
  expect(failed.text).toContain("Could not restore f149: ");
  expect(failed.text).toEndWith(" it does not exist. 2 more could not be rewound.");
});

test.each([Bun.which("git"), null])(
  "what a rewind takes away is kept, with git at %p",
  async (git) => {
    const file = workspace();
    writeFileSync(file("a"), "before");
    const undo = [await change(file("a"), "after")];
    const checkpoints = new Checkpoints(join(root, `store-${git !== null}`));
    await checkpoints.save(Buffer.from("before"));
    using _ = spyOn(Bun, "which").mockReturnValue(git);
    const kept = openContents(join(root, "own"), root, checkpoints);
    const { files } = await rewindFiles(kept, { undo, redo: [] }, basename);
    expect(read(file("a"))).toBe("before");
    const taken = files[0]?.before ?? "";
    expect(`${await (await kept.load([taken]))(taken)}`).toBe("after");
  },
);
