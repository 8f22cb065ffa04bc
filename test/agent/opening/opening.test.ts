import { afterAll, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeEnvironment } from "../../../src/agent/opening/environment.ts";
import { openingFacts, resumedModel } from "../../../src/agent/opening/opening.ts";
import { textOf } from "../../../src/protocol/block.ts";
import type { Entry, Fact } from "../../../src/protocol/entry.ts";

const root = await mkdtemp(join(tmpdir(), "opening-"));
afterAll(() => rm(root, { recursive: true }));
await Bun.write(join(root, "AGENTS.md"), "Use tabs.");

const options = {
  path: [],
  session: "s",
  version: 7,
  cwd: root,
  model: "claude-a",
  tools: [],
  addedFolders: ["/added"],
  mode: "plan" as const,
  userInstructions: [],
  changes: [],
  env: { PATH: "/usr/bin:/bin" },
  now: new Date(2026, 0, 2, 3),
};

const logged = (facts: readonly Fact[]): Entry[] =>
  facts.map((fact, index) => ({ id: `e${index + 1}`, parent: null, at: "", ...fact }));

const textIn = (facts: readonly Fact[]): string =>
  facts.map((fact) => (fact.type === "context" ? textOf(fact.content) : "")).join("\n");

test("a new session begins with its prompt and tools, the environment and the instructions", async () => {
  const facts = await openingFacts(options);
  expect(facts.slice(0, 2).map(({ type }) => type)).toEqual(["session", "context"]);
  expect(facts[0]).toMatchObject({ version: 7, session: "s", cwd: root, model: "claude-a" });
  expect(facts[0]?.type === "session" && facts[0].system).toContain("mini-claude");
  const text = textIn(facts);
  expect(text).toContain(`Working folder: ${root}`);
  expect(text).toContain("Added folder: /added");
  expect(text).toContain("Permission mode: plan");
  expect(text).toContain("Use tabs.");
});

test("a resumed session gets only what its log does not say", async () => {
  const path = logged(await openingFacts(options));
  expect(await openingFacts({ ...options, path })).toEqual([]);
  const changes: Fact & { type: "context" } = {
    type: "context",
    kind: "reminder",
    title: "changed files",
    content: [{ type: "text", text: "a.ts changed" }],
  };
  const later = { ...options, path, changes: [changes], mode: "default" as const };
  const news = await openingFacts(later);
  expect(news.map((fact) => fact.type === "context" && fact.title)).toEqual([
    "environment",
    "changed files",
  ]);
  expect(textIn(news)).toContain("Permission mode: default");
});

test("another model is recorded before anything else", async () => {
  const path = logged(await openingFacts(options));
  const [first] = await openingFacts({ ...options, path, model: "claude-b" });
  expect(first).toEqual({ type: "model", model: "claude-b" });
});

test("a session resumes with the model it used last, never with the offline model", () => {
  const model = (name: string): Fact => ({ type: "model", model: name });
  expect(resumedModel([])).toBeUndefined();
  expect(resumedModel(logged([model("a"), model("b")]))).toBe("b");
  expect(resumedModel(logged([model("a"), model("offline")]))).toBeUndefined();
});

test("today is the local date", async () => {
  const zone = process.env["TZ"];
  try {
    for (const tz of ["Asia/Tokyo", "America/Los_Angeles"]) {
      process.env["TZ"] = tz;
      const local = new Date(2026, 0, 2, 0, 30);
      const { content } = await describeEnvironment({ ...options, now: local });
      expect(textOf(content)).toContain("Today: 2026-01-02");
    }
  } finally {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  }
});

async function withGit(script: string) {
  const bin = await mkdtemp(join(root, "bin-"));
  await Bun.write(join(bin, "git"), `#!/bin/sh\n${script}\n`);
  await chmod(join(bin, "git"), 0o755);
  const { content } = await describeEnvironment({ ...options, env: { PATH: `${bin}:/bin` } });
  return textOf(content);
}

test("git: branch and number of changed files", async () => {
  const answers = (status: string) => `case "$*" in *rev-parse*) echo main;; *) ${status};; esac`;
  expect(await withGit(answers("echo ' M a.ts'"))).toContain("Git: branch main, 1 file changed");
  expect(await withGit(answers("printf ' M a\\n M b\\n'"))).toContain("2 files changed");
  expect(await withGit(answers("true"))).toContain("no changes");
  expect(await withGit("exit 128")).toContain("Git: not a repository");
});

test("git: a status that fails is not a clean tree", async () => {
  const text = await withGit(`case "$*" in *rev-parse*) echo main;; *) exit 1;; esac`);
  expect(text).toContain("Git: branch main, changes unknown");
});

test("git: a child that keeps the pipe open does not hold up the start", async () => {
  const text = await withGit(`echo main; sleep 600 & exit 0`);
  expect(text).toContain("Git: branch main");
});

test("instructions of nested folders come with the opening", async () => {
  const inner = join(root, "inner");
  await mkdir(inner);
  await Bun.write(join(inner, "CLAUDE.md"), "Inner rules.");
  const text = textIn(await openingFacts({ ...options, cwd: inner }));
  expect(text.indexOf("Use tabs.")).toBeLessThan(text.indexOf("Inner rules."));
});
