/** What commands changed can be taken back, to the byte. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../../src/base/guards.ts";
import { Checkpoints } from "../../../src/log/checkpoints.ts";
import { rewindFiles } from "../../../src/log/rewind-files.ts";
import { planRewind } from "../../../src/log/rewind-plan.ts";
import { blockText } from "../../../src/protocol/block.ts";
import type { EntryOf } from "../../../src/protocol/entry.ts";
import { leave, quietRun, room, temporaryFolder, type Room } from "../room.ts";

afterAll(leave);

const hasSandbox = await room().then(({ box }) => box.hasSandbox());
/** What the sandbox, or a mode that needs it, sees to. */
const confined = test.skipIf(!hasSandbox);

let at: Room;
let store: Checkpoints;
let undo: EntryOf<"checkpoint">[];
let said: string;
let calls = 0;

beforeEach(() => open());

/** `overlays` "off": commands that nobody was asked about write to the workspace itself, too. */
async function open(more: { overlays?: "off" } = {}): Promise<void> {
  undo = [];
  store = new Checkpoints(join(temporaryFolder(), "checkpoints"));
  at = await room({ checkpoint: store, undoIgnoredBytes: 50_000, ...more });
  furnish("");
}

/** Puts files of all kinds into a folder of the workspace. */
function furnish(folder: string): void {
  at.put(`${folder}src/a.ts`, "a\n");
  at.put(`${folder}src/deep/b.bin`, new Uint8Array([0, 255, 10, 13]));
  at.put(`${folder}.gitignore`, "dist/\nbig/\n");
  at.put(`${folder}dist/old.js`, "old\n");
  at.put(`${folder}big/data`, "x".repeat(60_000));
  at.put(`${folder}run.sh`, "#!/bin/sh\necho run\n");
  chmodSync(join(at.root, folder, "run.sh"), 0o755);
  symlinkSync("src/a.ts", join(at.root, folder, "link"));
  mkdirSync(join(at.root, folder, "empty"));
  const bytes = (name: string) => Buffer.from(join(at.root, folder, name), "latin1");
  mkdirSync(bytes("old\xe9"));
  writeFileSync(bytes("old\xe9/in\xff"), "1\n");
  symlinkSync(Buffer.from("x\xff", "latin1"), bytes("old\xe9/link"));
}

const gitUser = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "m"],
    [`GIT_${who}_EMAIL`, "m@x"],
  ]),
);

/** What a line of the user prints. */
const bash = (line: string): string =>
  Bun.spawnSync(["bash", "-c", line], {
    cwd: at.root,
    env: { ...process.env, ...gitUser },
  }).stdout.toString();

async function run(command: string, more: { run_in_background?: boolean } = {}, keep = false) {
  calls += 1;
  const input = { command, ...more };
  const call = { type: "tool_use", id: `u${calls}`, name: "Bash", input } as const;
  await at.box.review(call);
  const ask = async () =>
    keep ? { allow: true as const, scope: "once" as const } : { allow: false as const };
  const outcome = await at.box.run(call, { ...quietRun(), ask });
  said = blockText(outcome.content);
  const entry = { id: `e${calls}`, parent: null, at: "", type: "checkpoint", toolUse: call.id };
  if (outcome.checkpoint) undo.push({ ...entry, type: "checkpoint", files: outcome.checkpoint });
}

/** Names, kinds, modes and contents of everything in the workspace. */
const state = (): string => listState(at.root).join("\n");

/** Latin-1 in place of UTF-8, since not every name is text. */
function listState(folder: string): string[] {
  const read = () => readdirSync(Buffer.from(folder, "latin1"), { encoding: "buffer" });
  // Not every user may look into everything.
  const names = attempt(read, []);
  return names
    .map((name) => name.toString("latin1"))
    .toSorted()
    .flatMap((name) => {
      const file = `${folder}/${name}`;
      const path = Buffer.from(file, "latin1");
      const found = attempt(() => lstatSync(path), null);
      if (found === null) return [file];
      const about = `${file} ${found.mode.toString(8)}`;
      if (found.isDirectory()) return [about, ...listState(file)];
      if (found.isSymbolicLink())
        return [`${about} ${readlinkSync(path, { encoding: "buffer" }).toString("latin1")}`];
      if (!found.isFile()) return [about];
      const bytes = found.size > 1024 ** 2 ? "" : attempt(() => readFileSync(path), "");
      return [`${about} ${found.size} ${Bun.hash(bytes)}`];
    });
}

const rewind = () =>
  rewindFiles(store, { undo: undo.splice(0), redo: [] }, (path) => path.slice(at.root.length + 1));

/** All run as one command, each in a folder of its own. */
const changes = [
  "echo changed > src/a.ts",
  "printf '\\0\\1' >> src/deep/b.bin",
  "rm src/a.ts run.sh",
  "rm -rf src",
  "mkdir -p dist/x/y && echo new > dist/x/y/z.js && echo new > dist/old.js",
  "rm -rf dist && mkdir dist && echo built > dist/new.js",
  "mv src/a.ts src/c.ts; mv src/deep moved",
  "ln -sf run.sh link",
  "rm link; echo file > link",
  "rm src/a.ts; ln -s ../run.sh src/a.ts",
  "rmdir empty; mkdir other other/inner",
  "chmod -x run.sh; echo x >> run.sh",
  "touch -d 2001-01-01 src/a.ts; echo b > src/a.ts; touch -d 2001-01-01 src/a.ts",
  "sed -i s/a/b/ src/a.ts",
  "echo 1 > 'name with spaces'; echo 2 > \"quote's\"",
  "for i in 1 2 3 4 5 6; do echo $i > f$i; done",
  // A file becomes a folder or a link, and the other way round.
  "rm src/a.ts; mkdir src/a.ts; echo in > src/a.ts/inner",
  "rm -r src; echo file > src",
  "rm -r src; ln -s empty src",
  "rm link; mkdir link; echo x > link/x",
  "rmdir empty; echo file > empty",
  "rm -r src; ln -s run.sh src; rm run.sh; mkdir -p run.sh/deep; echo x > run.sh/deep/x",
  "mv src other; mkdir -p src/a.ts/deep; mv other src/a.ts/deep/other",
  // Modes.
  "chmod 600 run.sh; chmod 4755 src/a.ts",
  "chmod 700 src src/deep; chmod 777 empty",
  "rm run.sh; echo new > run.sh",
  "chmod 000 src/a.ts; chmod 111 src/deep",
  "chmod 640 src/a.ts; rm -r src",
  "mkdir -m 311 closed; echo x > closed/x; chmod 000 src",
  // Names that are not UTF-8.
  "printf x > $'\\xff\\xfe'; mkdir -p $'d\\xe9/\\xf0'; printf y > $'d\\xe9/\\xf0/\\x80'",
  "echo changed > $'old\\xe9/in\\xff'; rm $'old\\xe9/link'",
  "rm -r $'old\\xe9'",
  "mv $'old\\xe9' new; ln -s $'\\xff' $'\\xfe'",
  "ln -sf $'to\\xff' link",
  "echo x > $'bad\\xed\\xb2\\x80\\xef\\xbf\\xbd'",
  // Neither files nor folders.
  "mkfifo pipe; rm src/a.ts; mkfifo src/a.ts; echo x > x",
  "X=1; node -e 'require(`fs`).writeFileSync(`src/gen.ts`, `x`)'",
];

describe.each(["default", "auto"] as const)("is rewound to the byte, in mode %s", (mode) => {
  const inMode = mode === "auto" ? confined : test;
  beforeEach(() => {
    at.box.mode = mode;
  });

  inMode("what commands of each kind did", async () => {
    const cases = changes.map((command, index) => ({ command, folder: `case${index}` }));
    for (const { folder } of cases) furnish(`${folder}/`);
    const before = new Map(cases.map(({ folder }) => [folder, listState(join(at.root, folder))]));
    const listUnlike = () =>
      cases.filter(
        ({ folder }) => !Bun.deepEquals(listState(join(at.root, folder)), before.get(folder)),
      );
    const lines = cases.map(({ command, folder }) => `(cd ${folder}\n${command}\n)\n`);
    at.put("cases.sh", lines.join(""));
    await run("bash cases.sh");
    expect(listUnlike()).toEqual(cases);
    await rewind();
    expect(listUnlike()).toEqual([]);
  });

  inMode("what several commands did, one after the other", async () => {
    const before = state();
    for (const command of ["echo 1 > src/a.ts", "echo 2 > src/a.ts; rm run.sh", "echo 3 > run.sh"])
      await run(command);
    await rewind();
    expect(state()).toBe(before);
  });

  inMode("a commit, with the index and the branch", async () => {
    bash("git init -q -b main; git add src; git commit -qm first");
    const repository = () => bash("git rev-parse HEAD; git status --short");
    const before = repository();
    for (const command of [
      "git -c user.name=m -c user.email=m@x commit -qam second --allow-empty",
      "echo more >> src/a.ts; git add src/a.ts; git -c user.name=m -c user.email=m@x commit -qm third",
    ])
      await run(command);
    expect(bash("git log --format=%s")).toBe("third\nsecond\nfirst\n");
    await rewind();
    expect(repository()).toBe(before);
  });
});

describe("what git keeps", () => {
  beforeEach(() => {
    bash("git init -q -b main; git add src; git commit -qm first; git repack -adq");
    bash("echo more > src/more; git add src; git commit -qm second");
    at.box.mode = "auto";
  });

  test("stays when it is new: a commit made since may need it", async () => {
    await run("echo same > src/new; git add src/new");
    bash("git commit -qm mine");
    await rewind();
    expect(bash("git fsck --full --strict && git show HEAD:src/new")).toBe("same\n");
  });
});

describe("what is too large to be kept", () => {
  const big = 65 * 1024 ** 2;

  beforeEach(async () => {
    await open({ overlays: "off" });
    bash(
      `truncate -s ${big} huge; mkdir -p node_modules/p data; truncate -s 60000 node_modules/p/x`,
    );
    bash("truncate -s 60000 data/rows; echo data/ >> .gitignore; echo node_modules/ >> .gitignore");
    at.box.mode = "auto";
  });

  test("is moved back", async () => {
    at.box.mode = "default";
    const before = state();
    for (const command of [
      "mkdir deep; mv huge deep/other",
      "mv data elsewhere; mkdir data; echo x > data/x",
      "mv node_modules modules",
      "mkdir sub; mv data sub; mv sub sub2",
      "cp huge copy; mkdir made; cp -r node_modules made",
      "mkdir sub; mv huge data sub",
    ]) {
      await run(command);
      expect([command, state()]).not.toEqual([command, before]);
      await rewind();
      expect([command, state()]).toEqual([command, before]);
    }
  });

  confined("is asked about", async () => {
    await run("true");
    const review = async (command: string) => (await at.review("Bash", { command })).verdict;
    for (const line of [
      "rm -rf node_modules",
      "rm -r ./node_modules/p",
      "rm -rf big/*",
      "rm -rf data",
    ])
      expect([line, await review(line)]).toEqual([line, "ask"]);
    expect(await review("rm -rf dist")).toBe("allow");
  });

  test("a new one is deleted, unless somebody changed it since", async () => {
    const before = state();
    await run(
      `truncate -s ${big} new; mkdir -p sub/node_modules/q; truncate -s 60000 sub/node_modules/q/x`,
    );
    await rewind();
    expect(state()).toBe(before);
    await run(`truncate -s ${big} new`);
    bash("echo mine >> new");
    await rewind();
    expect(existsSync(join(at.root, "new"))).toBe(true);
  });
});

test("a large ignored folder is left alone", async () => {
  await run("echo x > big/data; echo y > src/a.ts");
  expect(undo.flatMap(({ files }) => files.map(({ path }) => path))).toEqual([
    join(at.root, "src/a.ts"),
  ]);
});

test("what somebody else changed since is kept, and named before", async () => {
  await run("echo new > src/a.ts; echo new > src/c.ts");
  writeFileSync(join(at.root, "src/a.ts"), "mine\n");
  const steps = await planRewind({ undo, redo: [] });
  expect(steps.map(({ how, path }) => [how, path.slice(at.root.length + 1)])).toEqual([
    ["keep", "src/a.ts"],
    ["delete", "src/c.ts"],
  ]);
  await rewind();
  expect(readFileSync(join(at.root, "src/a.ts"), "utf8")).toBe("mine\n");
});

describe("is set aside until the user has seen it", () => {
  const made = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".mini-claude/settings.json",
    ".mcp.json",
    ".vscode/tasks.json",
    ".idea/x.xml",
    ".envrc",
    ".husky/pre-commit",
    ".github/workflows/ci.yml",
    ".git/hooks/pre-commit",
    ".git/config",
    "CLAUDE.md",
    "sub/AGENTS.md",
    ".nvim.lua",
    "mise.toml",
    ".gitattributes",
    ".npmrc",
    "gradlew",
    ".devcontainer/devcontainer.json",
    "x.code-workspace",
    "sitecustomize.py",
    ".cursor/mcp.json",
    "opencode.json",
    "lefthook.yml",
    "eslint.config.mjs",
    "big/.envrc",
    "big/deep/CLAUDE.md",
    "dist/.vscode/tasks.json",
  ];

  const inOneCommand = (text: string, paths: readonly string[]) =>
    paths.map((path) => `mkdir -p ${dirname(path)}; echo ${text} > ${path}`).join("; ");

  test("whatever is new and runs later, or is read as instructions", async () => {
    const there = () => made.filter((path) => existsSync(join(at.root, path)));
    await run(`${inOneCommand("evil", made)}; echo plain > plain.txt`);
    expect(there()).toEqual([]);
    expect(said).toContain("Not kept");
    for (const path of made) expect(said).toContain(path);
    expect(existsSync(join(at.root, "plain.txt"))).toBe(true);
    await run(inOneCommand("wanted", made), {}, true);
    for (const path of made) expect(readFileSync(join(at.root, path), "utf8")).toBe("wanted\n");
    await rewind();
    expect(there()).toEqual([]);
  });

  test("a new file that makes its folder a repository", async () => {
    for (const path of ["deep/.git", "deep/hooks/post-checkout", "deep/HEAD"]) {
      const file = join(at.root, path);
      await run(`${inOneCommand("evil", [path])}; echo plain > ${dirname(path)}/plain.txt`);
      expect([path, existsSync(file)]).toEqual([path, false]);
      expect(said).toContain("Not kept");
      expect(said).toContain(path);
      expect(existsSync(join(dirname(file), "plain.txt"))).toBe(true);
      await run(inOneCommand("wanted", [path]), {}, true);
      expect(readFileSync(file, "utf8")).toBe("wanted\n");
      await rewind();
      expect([path, existsSync(join(at.root, "deep"))]).toEqual([path, false]);
    }
  });

  test("a change to what is in a folder that was replaced", async () => {
    at.put("a/.vscode/tasks.json", "before\n");
    at.put("b/CLAUDE.md", "before\n");
    await run("mv a old; mkdir -p a/.vscode; echo evil > a/.vscode/tasks.json");
    await run("cp -r b copy; rm -r b; mv copy b; echo evil > b/CLAUDE.md");
    for (const path of ["a/.vscode/tasks.json", "b/CLAUDE.md"])
      expect([path, readFileSync(join(at.root, path), "utf8")]).toEqual([path, "before\n"]);
  });

  test.each([
    [
      "in a folder that cannot be listed",
      "mkdir -p x/.claude; echo evil > x/.claude/settings.json; chmod 311 x",
    ],
    [
      "in a closed folder",
      "mkdir -p x/.claude; echo evil > x/.claude/settings.json; chmod 000 x/.claude",
    ],
    [
      "in a closed file",
      "mkdir .claude; echo evil > .claude/settings.json; chmod 000 .claude/settings.json",
    ],
    [
      "beside names that are no text",
      "printf x > $'\\xff'; mkdir .claude; echo evil > .claude/settings.json",
    ],
    [
      "in a folder whose name is no text",
      "mkdir -p $'\\xff/.claude'; echo evil > $'\\xff/.claude/settings.json'",
    ],
    ["as a large file", "mkdir .claude; truncate -s 70M .claude/settings.json; echo evil > .envrc"],
    ["as a pipe", "mkdir .claude; mkfifo .claude/settings.json"],
    ["as a link", "mkdir .claude; ln -s /tmp/x .claude/settings.json"],
    [
      "as a folder before",
      "mkdir -p .claude/settings.json; rmdir .claude/settings.json; echo evil > .claude/settings.json",
    ],
    [
      "deeper than a path can be",
      "n=$(printf 'd%.0s' {1..200}); for i in {1..30}; do mkdir $n; cd $n; done; mkdir .claude; echo evil > .claude/settings.json",
    ],
  ])("whatever hides it: %s", async (_, command) => {
    await run(command);
    expect(said).toContain("Not kept");
    expect(bash("chmod -R u+rwx .; find . -name settings.json -o -name .envrc")).toBe("");
  });

  confined.each([
    [".git/hooks/pre-commit", "../../scripts/check.sh", "echo evil > scripts/check.sh"],
    [".envrc", "scripts/check.sh", "rm scripts/check.sh; echo evil > scripts/check.sh"],
    [".husky/pre-push", "../scripts/check.sh", "sed -i s/before/evil/ scripts/check.sh"],
    ["CLAUDE.md", "scripts/check.sh", "cp .gitignore scripts/check.sh"],
    [
      ".claude/settings.json",
      "../scripts/check.sh",
      "mv scripts/check.sh x; echo > scripts/check.sh",
    ],
    ["AGENTS.md", "link2", "mv scripts other; mkdir scripts; echo evil > scripts/check.sh"],
    ["gradlew", "link2", "echo evil > scripts/check.sh"],
  ])("what %s leads to", async (link, target, command) => {
    at.put("scripts/check.sh", "before\n");
    symlinkSync("scripts/check.sh", join(at.root, "link2"));
    mkdirSync(join(at.root, dirname(link)), { recursive: true });
    symlinkSync(target, join(at.root, link));
    at.box.mode = "auto";
    await run(command);
    expect(readFileSync(join(at.root, link), "utf8")).toBe("before\n");
  });

  test("what was left in the background makes", async () => {
    await run("sleep 0.05; mkdir .claude; echo evil > .claude/settings.json", {
      run_in_background: true,
    });
    while (!existsSync(join(at.root, ".claude/settings.json"))) await Bun.sleep(5);
    await run("echo next > x");
    expect(existsSync(join(at.root, ".claude/settings.json"))).toBe(false);
    await run("sleep 0.05; mkdir .claude; echo evil > .claude/settings.json", {
      run_in_background: true,
    });
    while (!existsSync(join(at.root, ".claude/settings.json"))) await Bun.sleep(5);
    await at.box.close();
    expect(existsSync(join(at.root, ".claude/settings.json"))).toBe(false);
  });
});
