import { expect, test } from "bun:test";
import { renameSync, symlinkSync } from "node:fs";
import { mkdir, mkdtemp, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { blockText } from "../../../src/protocol/block.ts";
import { contextFact } from "../../../src/protocol/context-fact.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import {
  findInstructions,
  followFiles,
} from "../../../src/extensions/instructions/instructions.ts";
import { readStart, type TrustedProject } from "../../../src/trust/project/project.ts";
import { testFolder } from "../../folder.ts";
import { hooksWith } from "../hooks/hooks-with.ts";

const base = testFolder("instructions");
const home = join(base, "home");
const homes = {
  home,
  own: join(home, ".mini-claude"),
  results: join(home, ".mini-claude/results"),
};

async function write(path: string, text: string): Promise<string> {
  await Bun.write(path, text);
  return path;
}

/** A new trusted project with these files, opened at its root. */
async function project(files: Record<string, string> = {}): Promise<TrustedProject> {
  const root = await mkdtemp(join(base, "project-"));
  for (const [path, text] of Object.entries(files)) await write(join(root, path), text);
  return { root, cwd: root, homes };
}

const find = (own: string[], at: TrustedProject | null) =>
  findInstructions({ own, project: at, home });

async function texts(
  at: TrustedProject | null,
  own: string[] = [],
  ownRules: string[] = [],
): Promise<string[]> {
  const { facts } = await findInstructions({ own, ownRules, project: at, home });
  return facts.map(({ content }) => blockText(content));
}

/** What the model is told after it has read a file. `told`: the files that it knows of. */
async function about(
  at: TrustedProject,
  path: string,
  ownRules: string[] = [],
  told: string[] = [],
): Promise<string[]> {
  const file_path = await write(join(at.root, path), "");
  const hooks = hooksWith();
  const entries = told.map((title): Entry => {
    return { id: title, parent: null, at: "", ...contextFact("instructions", title, "") };
  });
  followFiles(hooks, at, { ownRules, path: () => entries });
  const read = { tool_name: "Read", tool_input: { file_path }, tool_use_id: "t" };
  const run = { signal: new AbortController().signal };
  const { facts } = await hooks.run("PostToolUse", { ...read, tool_response: "" }, run);
  return facts.map(({ content }) => blockText(content));
}

test("the user's own come first, then outer folders, then inner ones; copies once", async () => {
  const at = await project();
  const cwd = join(at.root, "a", "b");
  const own = await write(join(base, "own.md"), "own");
  await write(join(at.root, "AGENTS.md"), "outer");
  await write(join(cwd, "AGENTS.md"), "inner");
  await write(join(cwd, "CLAUDE.md"), "inner");
  const blank = await write(join(base, "blank.md"), " \n");
  const { facts: found } = await find([own, join(base, "missing.md"), blank], { ...at, cwd });
  expect(found.map(({ content }) => blockText(content))).toEqual(["own", "outer", "inner"]);
  expect(found.at(-1)?.title).toBe(join(cwd, "AGENTS.md"));
});

test("of a file at most 40,000 bytes are shown, and how many more there are", async () => {
  const file = join(base, "long.md");
  const shown = async (bytes: number) =>
    (await texts(null, [await write(file, "x".repeat(bytes))]))[0];
  expect(await shown(40_000)).toBe("x".repeat(40_000));
  expect(await shown(40_001)).toBe(`${"x".repeat(40_000)}\n[1 more bytes in ${file}]`);
});

test("a folder above the project is ignored", async () => {
  await write(join(base, "AGENTS.md"), "from above");
  expect(await texts(await project())).toEqual([]);
});

test("a link to another file of the project, or to the user's own instructions, is followed", async () => {
  const at = await project();
  const own = await write(join(home, ".claude", "CLAUDE.md"), "mine");
  await write(join(at.root, "docs", "agents.md"), "docs");
  await symlink("docs/agents.md", join(at.root, "AGENTS.md"));
  expect(await texts(at)).toEqual(["docs"]);
  await symlink(own, join(at.root, "CLAUDE.md"));
  expect(await texts(at, [own])).toEqual(["mine", "docs"]);
});

const key = await write(join(home, ".aws", "credentials"), "aws_secret");
const outside = await write(join(base, "outside", "AGENTS.md"), "outside");

type Hostile = [name: string, build: (root: string) => Promise<unknown>];

const hostile: Hostile[] = [
  ["a link to our environment", (root) => symlink("/proc/self/environ", join(root, "AGENTS.md"))],
  ["a link to a key", (root) => symlink(key, join(root, "AGENTS.md"))],
  ["a link to a device", (root) => symlink("/dev/zero", join(root, "AGENTS.md"))],
  ["a pipe", async (root) => Bun.spawn(["mkfifo", join(root, "AGENTS.md")]).exited],
  ["a folder", (root) => mkdir(join(root, "AGENTS.md"))],
  ["a link in a circle", (root) => symlink("AGENTS.md", join(root, "AGENTS.md"))],
  ["a link to a file outside", (root) => symlink(outside, join(root, "CLAUDE.md"))],
  [
    "a link by way of a linked folder",
    async (root) => {
      await symlink(dirname(outside), join(root, "docs"));
      await symlink("docs/AGENTS.md", join(root, "AGENTS.md"));
    },
  ],
  [
    "a link to a secret of the project",
    async (root) => {
      await write(join(root, ".env"), "TOKEN=1");
      await symlink(".env", join(root, "AGENTS.md"));
    },
  ],
];

test.each(hostile)("%s is not read", async (_, build) => {
  const at = await project();
  await build(at.root);
  expect(await texts(at)).toEqual([]);
});

test("a folder that becomes a link while its file is opened leaks nothing", async () => {
  const { root } = await project();
  const folder = join(root, "docs");
  const file = await write(join(folder, "AGENTS.md"), "inside");
  let isSwapped = false;
  const accepts = (path: string): boolean => {
    if (!isSwapped) {
      isSwapped = true;
      renameSync(folder, `${folder}-before`);
      symlinkSync(dirname(outside), folder);
    }
    return path.startsWith(root);
  };
  expect(await readStart(file, 100, accepts)).toBeNull();
});

test("imports follow the file that names them, once, and outside code only", async () => {
  const at = await project({
    "CLAUDE.md": "See @docs/a.md, and `@docs/code.md`.\n```\n@docs/code.md\n```",
    "docs/a.md": "a imports @b.md and @../CLAUDE.md and me@example.com",
    "docs/b.md": "b imports @a.md and @missing.md",
    "docs/code.md": "not imported",
    "CLAUDE.local.md": "mine",
  });
  const { facts, omitted } = await find([], at);
  expect(facts.map(({ title }) => title.slice(at.root.length + 1))).toEqual([
    "CLAUDE.md",
    "docs/a.md",
    "docs/b.md",
    "CLAUDE.local.md",
  ]);
  expect(omitted).toEqual([]);
});

test("imports are followed five deep, and fifty of one file", async () => {
  const chain = Array.from({ length: 8 }, (_, n) => [`${n + 1}.md`, `${n + 1} @${n + 2}.md`]);
  const deep = await project({ ...Object.fromEntries(chain), "CLAUDE.md": "0 @1.md" });
  expect((await texts(deep)).at(-1)).toBe("5 @6.md");
  const many = Array.from({ length: 51 }, (_, n) => [`${n}.md`, `many ${n}`]);
  const names = many.map(([name]) => `@${name}`).join(" ");
  expect(
    await texts(await project({ ...Object.fromEntries(many), "CLAUDE.md": names })),
  ).toHaveLength(51);
});

test("an import from outside the project, or of a secret, needs permission", async () => {
  const at = await project();
  const outside = await write(join(home, "notes.md"), "my notes");
  const secret = await write(join(at.root, ".env"), "KEY=1");
  await symlink(outside, join(at.root, "link.md"));
  await write(join(at.root, "CLAUDE.md"), "@~/notes.md @.env @link.md @/etc");
  const asked: string[] = [];
  const refused = await find([], at);
  expect(refused.facts).toHaveLength(1);
  expect(refused.omitted).toEqual([outside, secret, join(at.root, "link.md")]);
  const { facts, omitted } = await findInstructions({
    own: [],
    project: at,
    home,
    async permit(path) {
      asked.push(path);
      return path === outside;
    },
  });
  expect(asked).toEqual([outside, secret]);
  expect(facts.map(({ content }) => blockText(content))).toContain("my notes");
  expect(omitted).toEqual([secret]);
});

test("the user's own instructions may import any file", async () => {
  const outside = await write(join(base, "elsewhere.md"), "from elsewhere");
  const own = await write(join(home, "own.md"), `@${outside}`);
  expect(await texts(null, [own])).toEqual([`@${outside}`, "from elsewhere"]);
});

test("instructions of subfolders are those on the way to a file", async () => {
  const at = await project({
    "AGENTS.md": "of the root",
    "a/AGENTS.md": "of a",
    "a/b/AGENTS.md": "of a/b",
    "c/AGENTS.md": "of c",
  });
  expect(await about(at, "a/b/file.ts")).toEqual(["of a", "of a/b"]);
  expect(await about(at, "a/b/file.ts", [], [join(at.root, "a/AGENTS.md")])).toEqual(["of a/b"]);
  expect(await about(at, "file.ts")).toEqual([]);
  expect(await about(at, "../elsewhere/file.ts")).toEqual([]);
});

const forPaths = (paths: string, text: string): string => `---\npaths: ${paths}\n---\n${text}\n`;

test("a rule without paths always holds, one with paths only for files that match", async () => {
  const at = await project({
    ".claude/rules/style.md": "Use tabs.",
    ".claude/rules/web/pages.md": forPaths('["web/**/*.{ts,tsx}", "*.html"]', "Pages are French."),
    ".mini-claude/rules/api.md": forPaths("api/**, lib/{a,b}/*.ts", "Check inputs."),
  });
  expect(await texts(at)).toEqual(["Use tabs."]);
  expect(await about(at, "web/a/b.tsx")).toEqual(["Pages are French."]);
  expect(await about(at, "index.html")).toEqual(["Pages are French."]);
  expect(await about(at, "web/index.html")).toEqual([]);
  expect(await about(at, "lib/b/c.ts")).toEqual(["Check inputs."]);
  expect(await about(at, "api/deep/x.py")).toEqual(["Check inputs."]);
  expect(await about(at, "../elsewhere/web/x.ts")).toEqual([]);
});

test("the user's rules come first; their paths are those of the project", async () => {
  const at = await project({ ".claude/rules/b.md": "project" });
  const own = join(base, "own-rules");
  await write(join(own, "always.md"), "mine");
  await write(join(own, "tests.md"), forPaths("**/*.test.ts", "mine for tests"));
  expect(await texts(at, [], [own])).toEqual(["mine", "project"]);
  expect(await about(at, "test/a.test.ts", [own])).toEqual(["mine for tests"]);
});

test("a rule may import, but must not be a link out of the project", async () => {
  const at = await project({
    ".claude/rules/a.md": "See @more.md",
    ".claude/rules/more.md": "more",
  });
  const secret = await write(join(base, "secret.md"), "from outside");
  await symlink(secret, join(at.root, ".claude/rules/link.md"));
  expect(await texts(at)).toEqual(["See @more.md", "more"]);
});
