import { afterAll, expect, spyOn, test } from "bun:test";
import { chown, mkdir, mkdtemp, realpath, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  commandEnv,
  projectRoot,
  repositoryAround,
  readTrust,
  saveTrust,
  findDecision,
} from "../../../src/trust/project/project.ts";

const base = await realpath(await mkdtemp(join(tmpdir(), "trust-")));
afterAll(() => rm(base, { recursive: true }));

const decided = new Map([
  ["/", "trusted"],
  ["/home/me", "trusted"],
  ["/home/me/code", "trusted"],
  ["/home/me/code/evil", "untrusted"],
] as const);

const cases: [folder: string, decision: "trusted" | "untrusted" | null, why: string][] = [
  ["/home/me/code", "trusted", "its own"],
  ["/home/me/code/app/src", "trusted", "a trusted parent's"],
  ["/home/me/code/evil", "untrusted", "its own, against the parent's"],
  ["/home/me/code/evil/inner", null, "an untrusted parent is nearer than the trusted one"],
  ["/home/me/other", null, "the home covers nothing"],
  ["/home/me", "trusted", "the home itself"],
  ["/", "trusted", "the root folder itself"],
  ["/srv/app", null, "the root folder covers nothing"],
  ["/home/me/code-evil", null, "a name that only begins the same"],
];

test.each(cases)("%s: %s (%s)", (folder, decision) => {
  expect(findDecision(decided, folder, "/home/me")).toBe(decision);
});

test("a repository in a trusted folder needs an answer of its own", async () => {
  for (const marker of [".git", ".hg", ".jj", ".svn"]) {
    const inner = join(base, "trusted/a", marker);
    await mkdir(join(inner, marker), { recursive: true });
    const trusted = new Map([[join(base, "trusted"), "trusted"]] as const);
    expect([marker, findDecision(trusted, inner, "/home/me")]).toEqual([marker, null]);
    expect(findDecision(trusted, join(base, "trusted/a/plain"), "/home/me")).toBe("trusted");
  }
});

test.each(["", "{", "[]", '{"folders":{"/a":true}}', '{"folders":["/a"]}'])(
  "a damaged file trusts nothing and is not overwritten: %p",
  async (text) => {
    const file = join(base, "damaged.json");
    await Bun.write(file, text);
    expect(() => readTrust(file)).toThrow("is damaged");
    expect(() => saveTrust(file, "/a", "trusted")).toThrow("is damaged");
    expect(await Bun.file(file).text()).toBe(text);
  },
);

test("the root is the repository's, also through a link, and never the home or above", async () => {
  const home = join(base, "home");
  const inner = join(home, "code", "app", "src");
  await mkdir(inner, { recursive: true });
  expect(projectRoot(inner, home)).toBe(inner);
  await mkdir(join(home, ".git"));
  await mkdir(join(base, ".git"));
  expect(projectRoot(inner, home)).toBe(inner);
  await Bun.write(join(home, "code", "app", ".git"), "gitdir: elsewhere");
  expect(projectRoot(inner, home)).toBe(join(home, "code", "app"));
  await symlink(inner, join(base, "link"));
  expect(projectRoot(join(base, "link"), home)).toBe(join(home, "code", "app"));
  expect(projectRoot(home, home)).toBe(home);
  expect(projectRoot("/", home)).toBe("/");
});

test("the repository of another user is not the root, except for the administrator", async () => {
  const app = join(base, "shared", "app");
  const git = join(base, "shared", ".git");
  await mkdir(app, { recursive: true });
  await mkdir(git);
  const rootAs = (user: number): string => {
    using _ = spyOn(process, "getuid").mockReturnValue(user);
    return projectRoot(app, "/home");
  };
  const owner = (await stat(git)).uid;
  expect(rootAs(owner)).toBe(join(base, "shared"));
  expect(rootAs(owner + 1)).toBe(app);
  if (owner === 0) await chown(git, 1, 1);
  expect(rootAs(0)).toBe(join(base, "shared"));
});

test.each([
  ["/home/me/app/.mini-claude/worktrees/fix", "/home/me/app"],
  ["/home/me/app/.claude/worktrees/fix", "/home/me/app"],
  ["/home/me/app/worktrees/fix", null],
  ["/home/me/app/.claude/worktrees/fix/inner", null],
])("the repository around %s is %s", (folder, repository) => {
  expect(repositoryAround(folder)).toBe(repository);
});

test("programs of the project are not on the PATH, however its folders are named", async () => {
  const project = join(base, "project");
  await mkdir(join(project, "node_modules", ".bin"), { recursive: true });
  await symlink(join(project, "node_modules"), join(base, "modules"));
  const outside = `${join(base, "project-tools")}:/usr/bin`;
  const inside = [
    join(project, "node_modules/.bin"),
    join(base, "modules/.bin"),
    `${project}/x/../node_modules/.bin`,
    project,
    ".",
    "",
    "node_modules/.bin",
  ];
  const env = { PATH: [...inside, outside].join(":"), ANTHROPIC_API_KEY: "sk-ant-0123456789" };
  expect(commandEnv(env, { root: project, isTrusted: false })).toEqual({ PATH: outside });
  expect(commandEnv(env, { root: project, isTrusted: true })).toEqual({ PATH: env.PATH });
  expect(commandEnv({}, { root: project, isTrusted: false })).toEqual({ PATH: "" });
});
