/** Whose a change is, and what comes back. */

import { afterAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import {
  existsSync,
  rmSync,
  statSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { rewindFiles } from "../../src/snapshots/rewind.ts";
import type { Snapshots } from "../../src/snapshots/snapshots.ts";
import { entryOf, removeWorkspaces, testWorkspace, type TestWorkspace } from "./workspace.ts";

afterAll(removeWorkspaces);

let at: TestWorkspace;
let session: Snapshots;

beforeEach(() => {
  at = testWorkspace();
  session = at.session();
  at.put("src/a", "a\n");
  at.put("src/b", "b\n");
});

const storeFolder = (): string => {
  const folder = join(at.own, "snapshots");
  return join(folder, readdirSync(folder).find((name) => /^[0-9a-f]+$/.test(name)) ?? "");
};

const unsaved =
  "The state of the folder could not be saved: what commands change cannot be undone.";

type Files = { files: { path: string; unsure?: boolean }[] };

/** Its paths; a question mark follows those that may be somebody else's. */
const listed = ({ files }: Files): string[] =>
  files.map(({ path, unsure }) => path.slice(at.root.length + 1) + (unsure ? "?" : ""));

/** Nothing is left of a command once it is rewound, and all of it once that is redone. */
async function comesBack(line: string): Promise<void> {
  const before = at.state();
  const entry = await at.command(session, () => at.sh(line));
  const after = at.state();
  expect(after).not.toEqual(before);
  await at.rewind([entry]);
  expect(at.state()).toEqual(before);
  await at.rewind([], [entry]);
  expect(at.state()).toEqual(after);
}

test("a folder with too many files is scanned once in a session, not with every command", async () => {
  const small = at.session({ maxEntries: 2 });
  const why = "The folder holds too many files to undo what commands change.";
  expect(await small.begin("x")).toEqual({ begun: null, why });
  rmSync(at.path("src"), { recursive: true });
  expect(await small.begin("x")).toEqual({ begun: null, why });
  expect((await session.begin("x")).why).toBe("");
});

describe("a command's changes come back, and go again", () => {
  test.each([
    ["a file becomes a folder", "rm src/a && mkdir src/a && echo x > src/a/in"],
    ["modes", "chmod 600 src/a && chmod 700 src && chmod +x src/b"],
    ["a folder is closed", "echo x > src/a && chmod 000 src"],
    ["a file is closed", "echo x > src/a && chmod 000 src/a"],
    [
      "new folders are closed",
      "mkdir -p x/y && echo x > x/y/z && chmod 000 x/y/z x/y && chmod 555 x",
    ],
    [
      "a file becomes a folder that is closed",
      "rm src/a && mkdir src/a && echo x > src/a/in && chmod 100 src/a",
    ],
    ["links", "ln -s a src/link && rm src/b && ln -s /etc/passwd src/b"],
    ["a folder becomes a link", "mv src moved && ln -s moved src"],
    ["names of bytes", "echo x > $'\\xff\\n\"' && mkdir $'d\\xfe' && echo y > $'d\\xfe/\\x01'"],
    ["contents of bytes", "printf '\\0\\r\\n\\xff' > src/a && : > src/b"],
    ["a set-user-id bit", "cp src/a src/s && chmod 4755 src/s"],
    ["names as in the data of git", "mkdir logs && echo x | tee bun.lock > logs/HEAD"],
    ["many files", "for i in $(seq 300); do echo $i > src/$i; done"],
  ])("%s", (_, line) => comesBack(line));

  test("a folder that became a file, when the rewind was killed between the two", async () => {
    const before = at.state();
    const entry = await at.command(session, () => at.sh("rm -r src && echo x > src"));
    at.sh("rm src");
    const { files } = await at.rewind([entry]);
    expect(at.state()).toEqual(before);
    await at.rewind([entryOf(files)]);
    expect(at.state()).toEqual(new Map());
  });

  test.each([
    [
      "of a folder with folders in it, and of one that becomes a link",
      "mkdir -p src/in/deep && echo c > src/in/deep/c && cp -r src gone",
      "rm -r gone && mv src moved && ln -s moved src",
    ],
    ["of a closed file", "chmod 000 src/a", "chmod 644 src/a && echo x > src/a"],
    ["of a file that could only be read, and is closed", "chmod 400 src/a", "chmod 000 src/a"],
    [
      "in a repository whose attributes would change contents",
      "git init -q && printf '* text eol=crlf ident filter=x working-tree-encoding=UTF-16\\n' > .gitattributes && git config filter.x.clean 'sed s/./X/' && git config core.autocrlf true && printf '$Id$\\n' > src/a",
      "printf 'x\\ny\\r\\n' > src/b && rm src/a .gitattributes",
    ],
    [
      "in a nested repository, all but the data of git",
      "git init -q nested && echo x > nested/f && mkdir nested/empty",
      "rm -r nested/f nested/empty && echo new > nested/g",
    ],
    [
      "in an ignored folder that is small, and an ignored file",
      "printf 'dist/\\n.env\\n' > .gitignore && echo KEY=1 > .env && mkdir dist && echo x > dist/out.js",
      "rm -r dist .env",
    ],
  ])("%s", async (_, before, line) => {
    at.sh(before);
    await comesBack(line);
  });
});

describe("what somebody else changes stays", () => {
  test("between two commands, in a file that both change", async () => {
    const first = await at.command(session, () => at.put("src/a", "command\n"));
    at.put("src/a", "mine\n");
    const change = () => at.put("src/a", "command again\n");
    const second = await at.command(session, change, { names: ["src/a"] });
    await at.rewind([first, second]);
    expect(at.read("src/a")).toBe("mine\n");
    await at.rewind([], [first, second]);
    expect(at.read("src/a")).toBe("command again\n");
  });

  test("while the rewind is at work", async () => {
    at.put("src/c", "c\n");
    const line = "echo x | tee new gone src/c > src/a && rm src/b && mkdir made";
    const entry = await at.command(session, () => at.sh(line));
    const theirs = ["src/a", "src/b", "new", "made/mine"];
    const contents: typeof at.contents = {
      keep: async (...given) => {
        await at.contents.keep(...given);
        for (const name of theirs) at.put(name, "mine\n");
        for (const name of ["gone", "src/c"]) rmSync(at.path(name), { force: true });
      },
      load: at.contents.load,
    };
    const { text } = await rewindFiles(contents, { undo: [entry], redo: [] }, basename);
    const failed = text.match(/(?<=Could not \w+ )\w+(?=:)/g);
    expect(failed).toEqual(["new", "made", "a", "b", "c"]);
    for (const name of theirs) expect(at.read(name)).toBe("mine\n");
    expect(at.read("src/c")).toBeNull();
  });

  test.each([
    [
      "a folder that they removed is not made for what was in it",
      "chmod 700 src && rm src/a",
      "rm -r src",
      "Skipped (modified since): src, src/a.",
    ],
    [
      "the modes of a file that it closed, and of a folder in which another file comes back",
      "echo x | tee src/b > src/a && chmod 000 src/a && chmod 700 src",
      "chmod 640 src/a; chmod 711 src",
      "Restored src/b. Skipped (modified since): src, src/a.",
    ],
    [
      "a journal of a database, and so the database",
      "echo x | tee db > db-wal",
      "echo mine > db-wal",
      "Skipped (modified since): db, db-wal.",
    ],
    ["a name that looks like another line", "touch $'a\nDelete  b'", "", "Deleted a⏎Delete  b."],
    [
      "a file in a folder that it made",
      "mkdir build && echo out > build/out",
      "echo mine > build/mine",
      "Deleted build/out. Skipped (not empty): build.",
    ],
    [
      "a folder that it removed and they made again",
      "rm -r src",
      "mkdir src && echo mine > src/a",
      "Restored src/b. Skipped (modified since): src/a.",
    ],
    [
      "a file with the stamp, but not the content, that it left",
      "echo 1 > src/a",
      "echo 2 > src/a && touch -d @1 src/a",
      "Skipped (modified since): src/a.",
    ],
    ["a pipe, which is not waited for", "mkfifo pipe", "", "Skipped (not in the snapshot): pipe."],
  ])("%s", async (_, line, theirs, text) => {
    const entry = await at.command(session, () => at.sh(line));
    at.sh(theirs);
    expect((await at.rewind([entry])).text).toBe(text);
  });

  test("what is saved just after it ended is listed, and left unless it is wanted", async () => {
    const begun = await at.begin(session, ["src/a"]);
    at.put("src/a", "command\n");
    const finishing = session.finish(begun, false);
    const from = Date.now();
    while (Date.now() < from + 20);
    at.put("src/b", "mine\n");
    expect(listed(await finishing)).toEqual(["src/a", "src/b?"]);
  });

  test.each([true, false])("beside a command of another session", async (isElsewhere) => {
    const begun = await at.begin(session);
    if (isElsewhere) at.passOn(process.ppid);
    const other = at.session();
    const theirs = await at.command(other, () => at.put("src/a", "theirs\n"));
    expect(listed(theirs)).toEqual(["src/a?"]);
    expect(listed(await session.finish(begun, false))).toEqual(["src/a?"]);
  });

  test("between the beginnings of two commands, by one of another session", async () => {
    await at.begin(session);
    await at.command(at.session(), () => at.put("src/a", "theirs\n"));
    const second = await at.begin(session);
    expect(listed(await session.finish(second, false))).toEqual(["src/a?"]);
  });

  test("but not after a command of another session that is not in its log yet", async () => {
    const other = at.session();
    await other.finish(await at.begin(other), false);
    const from = Date.now();
    while (Date.now() === from);
    const entry = await at.command(session, () => at.put("src/a", "command\n"));
    expect(listed(entry)).toEqual(["src/a"]);
  });

  test("beside a file tool of another session, also when the command ends first", async () => {
    const other = at.session();
    const entry = await at.command(session, async () => {
      at.put("src/a", "command\n");
      await other.writing([at.path("src/b")]);
      at.put("src/b", "theirs\n");
    });
    other.wrote([at.path("src/b")]);
    expect(listed(entry)).toEqual(["src/a", "src/b?"]);
  });

  test.each([
    [50_000, "src/b?"],
    [70_000, "src/b"],
  ])("by a file tool of another session %d ms before it", async (ms, path) => {
    const other = at.session();
    await other.writing([at.path("src/b")]);
    const folder = join(at.own, "snapshots/running");
    const [name = ""] = readdirSync(folder);
    const [, time = "", rest = ""] =
      /^(\d+)(.*\n)$/.exec(readFileSync(join(folder, name), "utf8")) ?? [];
    writeFileSync(join(folder, name), `${Number(time) - ms}${rest}`);
    const entry = await at.command(session, () => at.put("src/b", "late\n"));
    expect(listed(entry)).toEqual([path]);
  });

  test("beside something in the background; it is listed, left, and taken back on demand", async () => {
    session = at.session({ mayStillRun: async () => true });
    await at.command(session, () => undefined, { isBackground: true });
    at.put("src/a", "somebody\n");
    const { files } = await session.settle();
    const entry = { ...(await at.command(session, () => undefined)), files };
    const left = "Skipped (changed beside a command, perhaps by you): src/a.";
    expect((await at.rewind([entry])).text).toBe(left);
    await at.rewind([entry], [], true);
    expect(at.read("src/a")).toBe("a\n");
    expect((await at.rewind([], [entry])).text).toBe(left);
  });

  test("before a command that changes it again: all of it comes back, or stays", async () => {
    await session.finish(await at.begin(session, [""]), true);
    at.put("src/a", "server\n");
    const entry = await at.command(session, () => at.put("src/a", "command\n"));
    await at.rewind([entry]);
    expect(at.read("src/a")).toBe("command\n");
    await at.rewind([entry], [], true);
    expect(at.read("src/a")).toBe("a\n");
  });

  test("another name of a file, whose content is not written through it", async () => {
    at.sh("ln src/a ../outside");
    const entry = await at.command(session, () => at.sh("echo more >> src/a"));
    await at.rewind([entry]);
    expect(readFileSync(join(at.own, "..", "outside"), "utf8")).toBe("a\nmore\n");
  });
});

/** A command that ended before it began took less than any limit, however slow the machine is. */
const atOnce = -100_000;

describe("a file that somebody saves beside a command is left", () => {
  const save = (name: string) => at.put(name, "mine\n");
  const left = (entry: Files) => listed({ files: entry.files.filter(({ unsure }) => unsure) });
  const written = (count: number) => {
    for (let number = 0; number < count; number += 1) at.put(`made/${number}`, "command\n");
  };

  test("when the line does not name it", async () => {
    const change = () => (at.put("src/a", "command\n"), save("src/b"), save("notes"));
    const entry = await at.command(session, change, { ms: 2_000, names: ["src/a"] });
    expect(listed(entry)).toEqual(["notes?", "src/a", "src/b?"]);
    expect((await at.rewind([entry])).text).toStartWith("Restored src/a. Skipped ");
  });

  test("but not what a program writes at once, or among many files", async () => {
    const run = (change: () => unknown, ms: number) =>
      at.command(session, change, { ms, names: [] });
    const once = await run(() => written(1), atOnce);
    const many = await run(() => written(40), 2_000);
    const few = await run(() => at.put("src/a", "command\n"), 2_000);
    const long = await run(() => written(50), 60_000);
    expect([once, many, few, long].map((entry) => left(entry).length)).toEqual([0, 0, 1, 10]);
    await at.rewind([once, many]);
    expect(readdirSync(at.path("made"))).toHaveLength(10);
  });

  test("when they are known to be at work", async () => {
    await session.warm();
    save("src/a");
    const soon = await at.command(session, () => save("src/b"), { names: [] });
    const change = () => (written(40), at.put("src/a", "mine again\n"));
    const named = { ms: 2_000, names: ["src"] };
    const among = await at.command(session, change, named);
    expect([left(soon), left(among)]).toEqual([["src/b?"], ["src/a?"]]);
    // Their file until one of ours writes it.
    session.wrote([at.path("src/a")]);
    const ours = await at.command(session, () => save("src/a"), named);
    expect(listed(ours)).toEqual(["src/a"]);
  });

  test("but not what two commands do at the same time", async () => {
    const first = await at.begin(session, ["src/a"]);
    const second = await at.begin(session, ["src/b"]);
    at.put("src/a", "command\n");
    at.put("src/b", "command\n");
    save("src/c");
    const ended = { ...second, startMs: second.startMs - 2_000 };
    expect(listed(await session.finish(ended, false))).toEqual(["src/a", "src/b", "src/c?"]);
    expect(listed(await session.finish(first, false))).toEqual([]);
  });

  test("but not what one of two commands names, beside one that names its folder", async () => {
    await at.command(session, () => undefined);
    save("src/b");
    await at.begin(session, ["src"]);
    const narrow = await at.begin(session, ["src/b"]);
    at.put("src/b", "command\n");
    expect(listed(await session.finish(narrow, false))).toEqual(["src/b"]);
  });

  test("and what our own file tools write then is theirs alone", async () => {
    await session.writing([at.path("src/a"), at.path("src/b")]);
    const change = () => (save("src/a"), save("src/b"), at.put("src/c", "command\n"));
    const entry = await at.command(session, change, { names: ["src/b", "src/c"] });
    expect(listed(entry)).toEqual(["src/b", "src/c"]);
  });

  test("when it is open in their editor", async () => {
    at.sh("touch src/.a.swp && ln -s me@host.1:2 src/.#b");
    const change = () => (save("src/a"), save("src/b"), at.put("src/c", "command\n"));
    const entry = await at.command(session, change);
    expect(listed(entry)).toEqual(["src/a?", "src/b?", "src/c"]);
  });
});

describe("not in a snapshot", () => {
  beforeEach(() => {
    at.put(".gitignore", "dist/\n");
    at.sh("git init -q && truncate -s 17M large && mkdir -p dist/in");
    at.sh("cd dist/in && seq 600 | xargs touch");
  });

  test("large ignored folders, large files and git's data are named before a command", async () => {
    const lost = await session.notRestorable([at.path("dist"), at.path("src"), at.path("large")]);
    expect(lost).toEqual([at.path("large"), at.path("dist")]);
    expect(await session.notRestorable([at.path("dist/in/1")])).toEqual([at.path("dist")]);
    expect((await session.notRestorable([at.root])).toSorted()).toEqual(
      [".git", "dist", "large"].map(at.path),
    );
    expect(await session.notRestorable([at.path("src/a")])).toEqual([]);
  });

  test("folders that rules ignore, or packages are installed in, are left out if they are large", async () => {
    const fill = (folder: string, count = 501): void =>
      at.sh(`mkdir -p ${folder} && cd ${folder} && seq ${count} | xargs touch`);
    const large = ["deep/er/dist", "deep/node_modules", "excluded", "heavy/dist"];
    for (const folder of [...large.slice(0, 3), "deep/kept/dist", "other"]) fill(folder);
    fill("deep/fits/dist", 500);
    at.sh("truncate -s 16M deep/fits/dist/1");
    at.sh("mkdir -p heavy/dist && truncate -s $((16 << 20 | 1)) heavy/dist/x");
    at.put("deep/kept/.gitignore", "!dist/\n");
    at.put(".git/info/exclude", "excluded/\n");
    const asked = ["deep", "excluded", "heavy", "other"].map(at.path);
    expect((await session.notRestorable(asked)).toSorted()).toEqual(large.map(at.path));
    expect(await session.notRestorable([])).toEqual([]);
  });

  test("they are no change of a command that is killed later", async () => {
    await session.begin("test");
    at.put("new", "x");
    at.passOn(2 ** 22 + 1);
    session = at.session();
    expect(listed(await session.settle())).toEqual(["new?"]);
    expect(await session.notRestorable([at.path("dist")])).toEqual([at.path("dist")]);
  });

  test("they are named after it, too, and nothing in them is touched", async () => {
    const entry = await at.command(session, () =>
      at.sh("rm -r dist large; mkdir made; cp -r .git made"),
    );
    expect((await at.rewind([entry])).text).toBe(
      "Skipped (not in the snapshot): dist, large, made/.git. Skipped (not empty): made.",
    );
    expect(existsSync(at.path("made/.git/HEAD"))).toBe(true);
  });

  test("what lies in a new repository is told apart, also when it comes late", async () => {
    const begun = await at.begin(session);
    at.sh("git init -q --template= new");
    const { files, inner } = await session.finish(begun, true);
    expect(listed({ files })).toEqual(["new?", "new/.git?"]);
    expect(listed({ files: inner })).toEqual(["new/.git/config?"]);
    at.sh("git init -q --template= late");
    expect(listed({ files: (await session.settle()).inner })).toEqual(["late/.git/config?"]);
    expect((await session.settle()).inner).toEqual([]);
  });
});

describe("a session", () => {
  test("without a command keeps nothing", async () => {
    expect(await session.settle()).toEqual({ files: [], inner: [], told: [] });
    expect(existsSync(at.own)).toBe(false);
  });

  test("that settles while a command runs leaves its changes to that", async () => {
    session = at.session({ mayStillRun: async () => true });
    await at.command(session, () => undefined, { isBackground: true });
    let settled: unknown;
    const entry = await at.command(session, async () => {
      at.put("src/a", "command\n");
      settled = await session.settle();
    });
    expect(settled).toMatchObject({ files: [] });
    expect(listed(entry)).toEqual(["src/a"]);
  });

  test("covers each opened folder once", async () => {
    const other = join(at.own, "../other");
    session = at.session({ roots: [at.root, at.path("src"), other] });
    const change = () => at.sh("mkdir ../other && echo 1 | tee src/a > ../other/x");
    const { files } = await at.command(session, change);
    const paths = [other, join(other, "x"), at.path("src/a")];
    expect(files.map(({ path }) => path)).toEqual(paths);
  });

  test("in a folder that is missing runs commands", async () => {
    const missing = at.session({ roots: ["/proc/self/missing"] });
    expect((await missing.begin("x")).begun).not.toBeNull();
  });

  test("where git is missing, or the only one is in the workspace, says so", async () => {
    for (const git of [null, at.path("git")]) {
      using _ = spyOn(Bun, "which").mockReturnValue(git);
      expect((await session.begin("x")).why).toEndWith("because git is not installed.");
      expect(session.whyNone() === null).toBe(git !== null);
    }
  });

  test("whose own folder cannot be written says so, and the command still runs", async () => {
    writeFileSync(at.own, "");
    expect(await session.begin("x")).toEqual({ begun: null, why: unsaved });
    expect(await session.notRestorable([at.path("src")])).toEqual([at.path("src")]);
  });

  test("that cannot save what a command changed says so, and can save what the next one changes", async () => {
    const begun = await at.begin(session);
    const packs = join(storeFolder(), "objects");
    renameSync(packs, `${packs}.x`);
    at.put("src/a", "lost\n");
    expect(await session.finish(begun, false)).toEqual({ files: [], inner: [], note: unsaved });
    renameSync(`${packs}.x`, packs);
    const entry = await at.command(session, () => at.put("src/b", "command\n"));
    expect(listed(entry)).toEqual(["src/b"]);
  });

  test("packs the contents of many commands anew, and keeps them", async () => {
    const entry = await at.command(session, () => at.put("src/a", "1\n"));
    const packs = join(storeFolder(), "objects/pack");
    const first = readdirSync(packs);
    for (let number = 0; number < 122; number += 1) writeFileSync(join(packs, `${number}`), "");
    session = at.session();
    await at.begin(session);
    while (first.some((name) => existsSync(join(packs, name)))) await Bun.sleep(5);
    await at.rewind([entry]);
    const id = entry.files[0]?.before ?? "";
    expect([...(await session.contents(["link:a\nb", id]))]).toEqual([[id, Buffer.from("a\n")]]);
  });

  test("borrows the objects of a large repository", async () => {
    const size = 4 * 1024 ** 2;
    for (const [bytes, config, isBorrowed] of [
      [size, "", false],
      [size + 1, "[extensions]\n\tobjectFormat = sha256\n", false],
      [size + 1, "", true],
    ] as const) {
      at.put("git/config", config);
      at.put("git/index", "");
      truncateSync(at.path("git/index"), bytes);
      const lent = at.session({ repository: async () => at.path("git") });
      await at.begin(lent);
      const file = join(storeFolder(), "objects/info/alternates");
      const text = existsSync(file) ? readFileSync(file, "utf8") : null;
      expect(text).toBe(isBorrowed ? `${at.path("git/objects")}\n` : null);
    }
  });

  test("continues from a damaged record of the last look", async () => {
    await at.command(session, () => at.put("src/a", "1\n"));
    await session.close();
    writeFileSync(join(storeFolder(), "workspace.sqlite"), "damaged");
    session = at.session();
    await comesBack("echo 2 > src/a");
  });

  test("does not follow a link that a folder became", async () => {
    at.sh("mkdir ../elsewhere && echo 1 > ../elsewhere/f && ln -s ../elsewhere way");
    const entry = await at.command(session, () => at.sh("echo 2 > way/f"));
    expect(listed(entry)).toEqual([]);
  });

  test("tells of a command that was killed, and lists what changed", async () => {
    await session.begin("npm run\n  build");
    at.put("src/a", "half\n");
    expect(await at.session().interrupted()).toEqual([]);
    at.passOn(2 ** 22 + 1);
    expect(await at.session({ roots: [at.path("src")] }).interrupted()).toEqual([]);
    session = at.session();
    // Before the first turn, at whose end it is recovered.
    expect(await session.interrupted()).toEqual([
      "An earlier session ended abruptly at a command (npm run build). After the next turn, /rewind lists its changes, if any.",
    ]);
    const settled = await session.settle();
    expect(settled.told).toEqual([
      "An earlier session ended abruptly at a command (npm run build): it changed 1 path, which /rewind lists.",
    ]);
    expect(listed(settled)).toEqual(["src/a?"]);
    // Until it is logged, it is told again.
    at.passOn(2 ** 22 + 1);
    session = at.session();
    expect(listed(await session.settle())).toEqual(["src/a?"]);
    await session.logged();
    session = at.session();
    expect(await session.settle()).toMatchObject({ files: [], told: [] });
    expect(await session.interrupted()).toEqual([]);
  });
});

/** What two sessions find that follow a killed one, before either logs it. */
async function settledTwice(): Promise<string[]> {
  const found: string[] = [];
  // The second time, another process may have the number of the first.
  for (const pid of [2 ** 22 + 1, process.pid]) {
    at.passOn(pid, "another time");
    found.push(...listed(await at.session().settle()));
  }
  return found;
}

test("what a command changed that ended before the kill is told until it is logged", async () => {
  const begun = await at.begin(session);
  at.put("src/a", "command\n");
  await session.finish(begun, false);
  const running = join(at.own, "snapshots/running");
  const files = readdirSync(running).map((name) => join(running, name));
  for (const file of [...files, join(storeFolder(), "workspace.sqlite")])
    expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600]);
  expect(statSync(storeFolder()).mode & 0o777).toBe(0o700);
  expect(await settledTwice()).toEqual(["src/a", "src/a"]);
});

test("what changed before a command that was killed is told until it is logged", async () => {
  session = at.session({ mayStillRun: async () => true });
  await at.command(session, () => undefined, { isBackground: true });
  at.put("src/a", "late\n");
  await at.begin(session);
  expect(await settledTwice()).toEqual(["src/a?", "src/a?"]);
});

test("a killed command that changed nothing is not told of", async () => {
  await at.command(session, () => at.sh("rm -r src"));
  await session.begin("true");
  at.passOn(2 ** 22 + 1);
  expect(await at.session().settle()).toEqual({ files: [], inner: [], told: [] });
});

test("notes of other sessions are kept for a day", async () => {
  const folder = join(at.own, "snapshots/running");
  const notes = () => readdirSync(folder).filter((name) => name.endsWith(".notes"));
  await at.command(session, () => undefined);
  const [first = ""] = notes();
  await at.command(at.session(), () => undefined);
  expect(notes()).toContain(first);
  utimesSync(join(folder, first), 1, 1);
  await at.command(at.session(), () => undefined);
  expect(notes()).not.toContain(first);
});

/** Makes the store of contents older, for the next session. */
async function age(days: number): Promise<void> {
  const seconds = Date.now() / 1000 - days * 24 * 60 * 60;
  utimesSync(join(storeFolder(), "config"), seconds, seconds);
  await session.close();
  session = at.session();
}

test("more than 2 GB of contents are set aside after a week", async () => {
  await at.command(session, () => at.put("src/a", "1\n"));
  const packs = join(storeFolder(), "objects/pack");
  for (const [days, bytes, isAside] of [
    [6.9, 2 * 1024 ** 3 + 1, false],
    [29.9, 2 * 1024 ** 3, false],
    [7.1, 2 * 1024 ** 3 + 1, true],
  ] as const) {
    const others = readdirSync(packs).filter((name) => name !== "x");
    const more = others.reduce((sum, name) => sum + statSync(join(packs, name)).size, 0);
    writeFileSync(join(packs, "x"), "");
    truncateSync(join(packs, "x"), bytes - more);
    await age(days);
    await at.begin(session);
    expect([days, existsSync(`${storeFolder()}.old`)]).toEqual([days, isAside]);
  }
});

test("contents are kept for 30 to 60 days, in two stores", async () => {
  const first = await at.command(session, () => at.put("src/a", "1\n"));
  await age(20);
  const second = await at.command(session, () => at.put("src/b", "1\n"));
  expect(existsSync(`${storeFolder()}.old`)).toBe(false);
  await age(30.1);
  await at.command(session, () => at.put("src/c", "1\n"));
  await at.rewind([first], [], true);
  expect(at.read("src/a")).toBe("a\n");
  await age(40);
  at.put("src/d", "d\n");
  const last = await at.command(session, () => at.put("src/d", "2\n"));
  const { text } = await at.rewind([second, last], [], true);
  expect(text).toStartWith("Restored src/d. Could not restore src/b");
});

/** What is taken back comes again only to where nobody wrote meanwhile. */
test.each([
  ["a new file", null, null, "command\n"],
  ["a new file that the user made meanwhile", null, "theirs\n", "theirs\n"],
  ["a changed file", "mine\n", "mine\n", "command\n"],
  ["a changed file that the user changed meanwhile", "mine\n", "theirs\n", "theirs\n"],
  ["a changed file that the user removed meanwhile", "mine\n", null, null],
])(
  "what was taken back comes again, unless another writer came first: %s",
  async (_, before, meanwhile, after) => {
    if (before !== null) at.put("f", before);
    if (before !== null) at.sh("chmod 640 f");
    const { files } = await at.command(session, () => at.sh("echo command > f && chmod 755 f"));
    const taken = await session.takeBack(files);
    expect(at.read("f")).toBe(before);
    if (before !== null) expect(statSync(at.path("f")).mode & 0o777).toBe(0o640);
    if (meanwhile === null) rmSync(at.path("f"), { force: true });
    else at.put("f", meanwhile);
    const back = await session.takeBack(taken);
    expect(at.read("f")).toBe(after);
    const isBack = after === "command\n";
    expect(back).toEqual(isBack ? files : []);
    if (isBack) expect(statSync(at.path("f")).mode & 0o777).toBe(0o755);
  },
);
