import { expect, test } from "bun:test";
import { mkdir, mkdtemp, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  findInstructions,
  rulesAbout,
  findRules,
} from "../../../src/extensions/instructions/instructions.ts";
import { blockText } from "../../../src/protocol/block.ts";
import { testFolder } from "../../folder.ts";

const base = testFolder("rules");
const homes = { home: join(base, "home"), own: join(base, "own"), results: join(base, "results") };

/** A trusted project with these files. */
async function project(files: Record<string, string>) {
  const root = await mkdtemp(join(base, "project-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await Bun.write(join(root, path), text);
  }
  return { root, cwd: root, homes };
}

type Project = Awaited<ReturnType<typeof project>>;

async function always(at: Project, ownRules: string[] = []): Promise<string[]> {
  const { facts } = await findInstructions({ own: [], ownRules, project: at, home: homes.home });
  return facts.map(({ content }) => blockText(content));
}

async function about(at: Project, path: string, own: string[] = []): Promise<string[]> {
  const facts = await rulesAbout(join(at.root, path), await findRules(own, at), at);
  return facts.map(({ content }) => blockText(content));
}

const forPaths = (paths: string, text: string): string => `---\npaths: ${paths}\n---\n${text}\n`;

test("a rule without paths always holds, one with paths only for files that match", async () => {
  const at = await project({
    ".claude/rules/style.md": "Use tabs.",
    ".claude/rules/web/pages.md": forPaths('["web/**/*.{ts,tsx}", "*.html"]', "Pages are French."),
    ".mini-claude/rules/api.md": forPaths("api/**, lib/{a,b}/*.ts", "Check inputs."),
  });
  expect(await always(at)).toEqual(["Use tabs."]);
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
  await mkdir(own);
  await Bun.write(join(own, "always.md"), "mine");
  await Bun.write(join(own, "tests.md"), forPaths("**/*.test.ts", "mine for tests"));
  expect(await always(at, [own])).toEqual(["mine", "project"]);
  expect(await about(at, "test/a.test.ts", [own])).toEqual(["mine for tests"]);
});

test("a rule may import, but must not be a link out of the project", async () => {
  const at = await project({
    ".claude/rules/a.md": "See @more.md",
    ".claude/rules/more.md": "more",
  });
  await Bun.write(join(base, "secret.md"), "from outside");
  await symlink(join(base, "secret.md"), join(at.root, ".claude/rules/link.md"));
  expect(await always(at)).toEqual(["See @more.md", "more"]);
});
