import { beforeEach, expect, spyOn, test } from "bun:test";
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
import { Checkpoints } from "../../src/log/checkpoints.ts";
import { inNewPlace, openContents, rewindFiles } from "../../src/snapshots/rewind.ts";
import { sessionWith } from "../facts.ts";
import { testFolder } from "../folder.ts";
import { entryOf, type Checkpoint } from "./workspace.ts";

const root = testFolder();
const store = new Checkpoints(join(root, "store"));
const contents = openContents(join(root, "own"), root, store);

let serial = 0;
let folder = "";
beforeEach(() => mkdirSync((folder = join(root, `workspace-${++serial}`))));

const file = (name: string): string => join(folder, name);
const put = (name: string, text: string): void => writeFileSync(file(name), text);
const read = (name: string): string => readFileSync(file(name), "utf8");
const left = () => Object.fromEntries(readdirSync(folder).map((name) => [name, read(name)]));

/** Changes a file as a tool does, and returns the checkpoint of it; null: the file is absent. */
async function change(name: string, text: string | null): Promise<Checkpoint> {
  const path = file(name);
  const before = existsSync(path) ? await store.save(readFileSync(path)) : null;
  if (text === null) rmSync(path);
  else writeFileSync(path, text);
  const after = text === null ? null : await store.save(Buffer.from(text));
  return entryOf([{ path, before, after }]);
}

async function changes(texts: Record<string, string>): Promise<Checkpoint[]> {
  const made: Checkpoint[] = [];
  for (const [name, text] of Object.entries(texts)) made.push(await change(name, text));
  return made;
}

const rewind = async (undo: Checkpoint[], redo: Checkpoint[] = []): Promise<string> =>
  (await rewindFiles(contents, { undo, redo }, basename)).text;

test("changes from before the folder was renamed, twice, are taken back in the new place", async () => {
  const began = (cwd: string) => ({ ...sessionWith(), id: cwd, parent: null, at: "", cwd });
  const path = [began(folder)];
  const move = (): void => {
    const next = `${folder}-moved`;
    renameSync(folder, next);
    folder = next;
    path.push(began(folder));
  };
  put("a", "original");
  const undo = [await change("a", "1")];
  move();
  undo.push(await change("a", "2"), await change("new", "x"));
  move();
  const there = inNewPlace({ undo, redo: [] }, path, folder);
  await rewindFiles(contents, there, basename);
  expect(left()).toEqual({ a: "original" });
  // Those of a folder that is still there stay its own when the session goes on elsewhere.
  expect(inNewPlace(there, path, join(root, "other"))).toEqual(there);
});

test("files return to their state before the first change; each one is listed", async () => {
  put("a", "original");
  put("deleted", "was here");
  const first = await change("a", "first");
  const byCommand = await change("a", "second");
  chmodSync(file("a"), 0o604);
  const files = byCommand.files.map((found) => ({ ...found, mode: 0o640, modeAfter: 0o604 }));
  const undo = [
    first,
    { ...byCommand, files },
    await change("created", "new"),
    await change("deleted", null),
  ];
  expect(await rewind(undo)).toBe("Restored a, deleted. Deleted created.");
  expect(left()).toEqual({ a: "original", deleted: "was here" });
  expect(statSync(file("a")).mode & 0o777).toBe(0o640);
  expect(statSync(file("deleted")).mode & 0o777).toBe(0o666 & ~process.umask());
});

test("a file that the user changed, created again or deleted is left alone, and named", async () => {
  for (const name of ["changed", "removed", "theirs"]) put(name, "original");
  const undo = await changes({ changed: "tool", removed: "tool", theirs: "tool", new: "tool" });
  put("changed", "user");
  put("new", "user");
  rmSync(file("removed"));
  expect(await rewind(undo)).toBe(
    "Restored theirs. Skipped (modified since): changed, new, removed.",
  );
  expect(left()).toEqual({ changed: "user", new: "user", theirs: "original" });
});

test("a second rewind continues from where the first one stopped", async () => {
  put("a", "one");
  const first = await change("a", "two");
  const second = await change("a", "three");
  const { files } = await rewindFiles(contents, { undo: [second], redo: [] }, basename);
  expect(read("a")).toBe("two");
  // A rewind is a change like any other.
  const third = { ...second, files };
  expect(await rewind([first, second, third])).toBe("Restored a.");
  expect(read("a")).toBe("one");
});

test("another branch is entered with its own changes; the shared past stays", async () => {
  put("shared", "old");
  put("a", "one");
  await change("shared", "new");
  const first = await changes({ a: "two", left: "x" });
  expect(await rewind(first)).toBe("Restored a. Deleted left.");
  const second = await changes({ a: "other", entered: "y" });
  expect(await rewind(second, first)).toBe("Restored a, left. Deleted entered.");
  expect(left()).toEqual({ a: "two", left: "x", shared: "new" });
});

test("a missing checkpoint or folder does not keep the other files from being rewound", async () => {
  mkdirSync(file("folder/in"), { recursive: true });
  for (const name of ["first", "lost", "last"]) put(name, name);
  const undo = await changes({ first: "x", lost: "x", "folder/in/inside": "x", last: "x" });
  undo.push(await change("folder/in/inside", null));
  const hash = undo[1]?.files[0]?.before ?? "";
  rmSync(join(root, "store", hash.slice(0, 2), hash));
  rmSync(file("folder"), { recursive: true });
  const said = await rewind(undo);
  expect(said).toStartWith("Restored first, last. Could not restore lost: The checkpoint ");
  expect(said).toEndWith(" cannot be read: it does not exist.");
  expect(read("lost")).toBe("x");
  const again = await rewind([], [await change("gone", "y"), ...undo.slice(2, 3)]);
  expect(again).toBe("Restored folder, in, inside.");
  expect(read("folder/in/inside")).toBe("x");
});

test("a folder is made again where the turn left a file of its name", async () => {
  mkdirSync(file("d"));
  put("d/a", "original");
  const undo = [await change("d/a", null)];
  rmSync(file("d"), { recursive: true });
  undo.push(await change("d", "x"));
  expect(await rewind(undo)).toBe("Restored d, a.");
  expect(read("d/a")).toBe("original");
});

test("what an earlier version only named is left alone", async () => {
  mkdirSync(file("folder"));
  const executable = true as const;
  const { ino, birthtimeMs } = statSync(file("folder"));
  put("large", "x");
  const files = [
    { path: file("folder"), before: null, after: `tree:${ino}-${birthtimeMs}` },
    { path: file("large"), before: "same:1-2-3", after: null },
    { path: file("gone"), before: "same:1-2-3", after: null },
    { path: file("run"), before: await store.save(Buffer.from("x")), after: null, executable },
  ];
  expect(await rewind([entryOf(files)])).toBe(
    "Restored run. Skipped (modified since): folder, large. Skipped (not in the snapshot): gone.",
  );
  expect(statSync(file("run")).mode & 0o777).toBe(0o755);
});

test("a symlink in the place of a file or of its folder is not followed", async () => {
  mkdirSync(file("folder"));
  const undo = await changes({ a: "ours", "folder/b": "ours" });
  undo.push(...(await changes({ a: "later", "folder/b": "later" })));
  mkdirSync(file("elsewhere"));
  renameSync(file("a"), file("elsewhere/a"));
  symlinkSync(file("elsewhere/a"), file("a"));
  renameSync(file("folder"), file("elsewhere/folder"));
  symlinkSync(file("elsewhere/folder"), file("folder"));
  expect(await rewind(undo.slice(2))).toBe("Skipped (modified since): a, b.");
  expect(await rewind(undo)).toBe("Skipped (modified since): a, b.");
  expect(read("elsewhere/a")).toBe("later");
  expect(read("elsewhere/folder/b")).toBe("later");
});

test("a file that cannot be restored keeps its content; once it can, it keeps its mode", async () => {
  put("a", "original");
  const undo = [await change("a", "changed")];
  chmodSync(file("a"), 0o750);
  // Left by a rewind that was killed.
  put(`.${2 ** 22 + 1}.${crypto.randomUUID()}.tmp`, "part");
  const { write } = disk;
  disk.write = () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
  const failed = await rewind(undo).finally(() => (disk.write = write));
  expect(failed).toBe("Could not restore a: the disk is full.");
  expect(read("a")).toBe("changed");
  expect(await rewind(undo)).toBe("Restored a.");
  expect(left()).toEqual({ a: "original" });
  expect(statSync(file("a")).mode & 0o777).toBe(0o750);
});

test.skipIf(!existsSync("/proc/self/fd"))(
  "swapping a folder for a symlink in the middle redirects no write",
  async () => {
    for (const name of ["folder", "elsewhere"]) mkdirSync(file(name));
    put("folder/a", "original");
    const undo = [await change("folder/a", "changed")];
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
  const names = Array.from({ length: 51 }, (_, at) => `f${150 - at}`);
  const all = Object.fromEntries(names.map((name) => [name, "new"]));
  const text = `Deleted ${names.slice(0, 50).join(", ")}`;
  expect(await rewind(await changes(all))).toBe(`${text} and 1 more.`);
  const { f100: _, ...most } = all;
  expect(await rewind(await changes(most))).toBe(`${text}.`);
  for (const name of names) put(name, name);
  const undo = await changes(all);
  const empty = openContents(join(root, "own"), root, new Checkpoints(join(root, "empty")));
  const failed = await rewindFiles(empty, { undo, redo: [] }, basename);
  expect(failed.text).toContain("Could not restore f149: ");
  expect(failed.text).toEndWith(" it does not exist. 1 more could not be rewound.");
  const fewer = await rewindFiles(empty, { undo: undo.slice(1), redo: [] }, basename);
  expect(fewer.text).toEndWith(" it does not exist.");
});

test.each([Bun.which("git"), null])(
  "what a rewind takes away is kept, with git at %p",
  async (git) => {
    put("a", "before");
    const undo = [await change("a", "after")];
    const checkpoints = new Checkpoints(join(root, `store-${git !== null}`));
    await checkpoints.save(Buffer.from("before"));
    using _ = spyOn(Bun, "which").mockReturnValue(git);
    const kept = openContents(join(root, "own"), root, checkpoints);
    const { files } = await rewindFiles(kept, { undo, redo: [] }, basename);
    expect(read("a")).toBe("before");
    const taken = files[0]?.before ?? "";
    expect(`${await (await kept.load([taken]))(taken)}`).toBe("after");
  },
);
