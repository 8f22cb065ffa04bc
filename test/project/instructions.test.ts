import { afterAll, expect, test } from "bun:test";
import { renameSync, symlinkSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { textOf } from "../../src/protocol/block.ts";
import { findInstructions, type TrustedProject } from "../../src/project/instructions.ts";
import { readStart } from "../../src/project/read-start.ts";

const base = await realpath(await mkdtemp(join(tmpdir(), "instructions-")));
afterAll(() => rm(base, { recursive: true }));
const home = join(base, "home");
const homes = {
  home,
  own: join(home, ".mini-claude"),
  results: join(home, ".mini-claude/results"),
};

async function write(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(path, text);
  return path;
}

/** A trusted project of its own, opened at its root. */
async function project(): Promise<TrustedProject> {
  const root = await mkdtemp(join(base, "project-"));
  return { root, cwd: root, homes };
}

async function texts(at: TrustedProject | null, own: string[] = []): Promise<string[]> {
  return (await findInstructions(own, at)).map(({ content }) => textOf(content));
}

test("the user's own come first, then outer folders, then inner ones; copies once", async () => {
  const at = await project();
  const cwd = join(at.root, "a", "b");
  const own = await write(join(base, "own.md"), "own");
  await write(join(at.root, "AGENTS.md"), "outer");
  await write(join(cwd, "AGENTS.md"), "inner");
  await write(join(cwd, "CLAUDE.md"), "inner");
  const found = await findInstructions([own, join(base, "missing.md")], { ...at, cwd });
  expect(found.map(({ content }) => textOf(content))).toEqual(["own", "outer", "inner"]);
  expect(found.at(-1)?.title).toBe(join(cwd, "AGENTS.md"));
});

test("an untrusted project has none, the user still has theirs", async () => {
  const own = await write(join(base, "own.md"), "own");
  expect(await texts(null, [own])).toEqual(["own"]);
});

test("a folder above the project is ignored", async () => {
  await write(join(base, "AGENTS.md"), "from above");
  expect(await texts(await project())).toEqual([]);
});

test("a huge file is cut and says so", async () => {
  const at = await project();
  await write(join(at.root, "AGENTS.md"), "z".repeat(100_000));
  const [text = ""] = await texts(at);
  expect(text.length).toBeLessThan(40_200);
  expect(text).toContain("60000 more bytes");
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

test("a folder that becomes a link while its file is opened gives nothing away", async () => {
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
