import { expect, test } from "bun:test";
import { newDay, openingFacts, promptFrom, resumedModel } from "../../src/agent/opening.ts";
import { blockText } from "../../src/protocol/block.ts";
import type { Entry, Fact } from "../../src/protocol/entry.ts";

const options = {
  path: [],
  session: "s",
  version: 7,
  cwd: "/work",
  model: "claude-a",
  tools: [],
  system: promptFrom({}, []),
  addedFolders: ["/added"],
  mode: "plan" as const,
  hasSandbox: true,
  isUnattended: false,
  submitsPlans: true,
  instructions: [
    {
      type: "context" as const,
      kind: "instructions" as const,
      title: "AGENTS.md",
      content: [{ type: "text" as const, text: "Use tabs." }],
    },
  ],
  changes: [],
  git: async () => null,
  now: new Date(2026, 0, 2, 3),
};

/** The machine and the project, as a new session is told of them. */
async function environment(more: Partial<Parameters<typeof openingFacts>[0]>): Promise<string> {
  const [, fact] = await openingFacts({ ...options, ...more });
  return fact?.type === "context" ? blockText(fact.content) : "";
}

const logged = (facts: readonly Fact[]): Entry[] =>
  facts.map((fact, index) => ({ id: `e${index + 1}`, parent: null, at: "", ...fact }));

test("a session whose folder was renamed gets the new folder, and keeps prompt and tools", async () => {
  const path = logged(await openingFacts({ ...options, system: "You are a pirate." }));
  const [first] = await openingFacts({ ...options, path, cwd: "/renamed", hasMoved: true });
  expect(first).toMatchObject({ type: "session", cwd: "/renamed", system: "You are a pirate." });
  expect((await openingFacts({ ...options, path }))[0]?.type).not.toBe("session");
});

const readText = (facts: readonly Fact[]): string =>
  facts.map((fact) => (fact.type === "context" ? blockText(fact.content) : "")).join("\n");

test("a new session begins with its prompt and tools, the environment and the instructions", async () => {
  const facts = await openingFacts(options);
  expect(facts.slice(0, 2).map(({ type }) => type)).toEqual(["session", "context"]);
  expect(facts[0]).toMatchObject({ version: 7, session: "s", cwd: "/work", model: "claude-a" });
  expect(facts[0]?.type === "session" && facts[0].system).toContain("mini-claude");
  const text = readText(facts);
  expect(text).toContain("Working folder: /work");
  expect(text).toContain("Added folder: /added");
  expect(text).toContain("Permission mode: plan");
  expect(text).toContain("Use tabs.");
});

test("a subagent's session names the one that started it", async () => {
  const startedBy = { session: "s0", toolUse: "t1", type: "Explore" };
  const [first] = await openingFacts({ ...options, startedBy });
  expect(first).toMatchObject({ type: "session", startedBy });
  expect((await openingFacts(options))[0]).not.toHaveProperty("startedBy");
});

test("a system prompt replaces ours or is added to it, and holds for the session", async () => {
  expect(promptFrom({ append: "Be brief." }, [])).toMatch(
    /^You are mini-claude[^]*\S\n\nBe brief\.$/,
  );
  expect(promptFrom({ system: "You are a pirate.", append: "Rhyme." }, [])).toBe(
    "You are a pirate.\n\nRhyme.",
  );
  const path = logged(await openingFacts({ ...options, system: "You are a pirate." }));
  expect(await openingFacts({ ...options, path })).toEqual([]);
  const replaces = { system: true, tools: true };
  const replaced = await openingFacts({ ...options, path, system: "New", replaces });
  expect(replaced).toMatchObject([{ type: "session", system: "New", session: "s" }]);
  const tool = (name: string) => ({
    name,
    description: "",
    input_schema: { type: "object" as const },
  });
  const same = { ...options, path, system: "You are a pirate.", replaces };
  expect(await openingFacts({ ...same, tools: [tool("mcp__docs__find")] })).toEqual([]);
  expect(await openingFacts({ ...same, tools: [tool("Read")] })).toMatchObject([
    { type: "session", tools: [{ name: "Read" }] },
  ]);
  const onlyTools = {
    ...same,
    system: "Another",
    tools: [tool("Read")],
    replaces: { tools: true },
  };
  expect(await openingFacts(onlyTools)).toMatchObject([{ system: "You are a pirate." }]);
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
  expect(readText(news)).toContain("Permission mode: default");
});

test("another model is recorded before anything else", async () => {
  const path = logged(await openingFacts(options));
  const [first] = await openingFacts({ ...options, path, model: "claude-b" });
  expect(first).toEqual({ type: "model", model: "claude-b" });
});

test("a session resumes with the model it used last, never with the offline model", () => {
  const model = (name: string): Fact => ({ type: "model", model: name });
  const resumed = (...names: string[]): string | undefined => {
    return resumedModel({ path: logged(names.map(model)) });
  };
  expect(resumed()).toBeUndefined();
  expect(resumed("a", "b")).toBe("b");
  expect(resumed("a", "offline")).toBeUndefined();
});

test("today is the local date", async () => {
  const zone = process.env["TZ"];
  try {
    for (const tz of ["Asia/Tokyo", "America/Los_Angeles"]) {
      process.env["TZ"] = tz;
      const local = new Date(2026, 0, 2, 0, 30);
      expect(await environment({ now: local })).toContain("Today: 2026-01-02");
    }
  } finally {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  }
});

async function withGit(answers: { branch: string | null; status: string | null }) {
  const git = async ([verb]: readonly string[]) =>
    verb === "rev-parse" ? answers.branch : verb === "status" ? answers.status : null;
  return await environment({ git });
}

test("git: branch and number of changed files", async () => {
  const on = (status: string) => withGit({ branch: "main", status });
  expect(await on(" M a.ts")).toContain("Git: branch main, 1 file changed");
  expect(await on(" M a\n M b")).toContain("2 files changed");
  expect(await on("")).toContain("no changes");
  expect(await withGit({ branch: null, status: null })).toContain("Git: not a repository");
});

test("git: main branch and last commits", async () => {
  const answers: Record<string, string> = {
    "rev-parse": "topic",
    status: "",
    "symbolic-ref": "origin/trunk",
    log: `a1 Mend the parser\nb2 ${"x".repeat(300)}`,
  };
  const git = async ([verb = ""]: readonly string[]) => answers[verb] ?? null;
  const text = await environment({ git });
  expect(text).toContain(
    "Git: branch topic (main branch: trunk), no changes\nLast commits:\n  a1 Mend the parser\n  b2 xxx",
  );
  expect(text.length).toBeLessThan(1_000);
});

test("it is said at the start what commands may do, and that nobody answers", async () => {
  const said = async (more: Partial<typeof options>) => await environment(more);
  expect(await said({})).toContain("Sandbox: commands can write to the workspace and to /tmp");
  expect(await said({})).toContain("submit your plan with ExitPlanMode");
  expect(await said({ hasSandbox: false })).toContain("Sandbox: none");
  expect(await said({})).not.toContain("Nobody");
  expect(await said({ isUnattended: true })).toContain("Nobody can answer questions");
  expect(await said({ submitsPlans: false })).not.toContain("ExitPlanMode");
});

test("on macOS the model is told of its own temporary folder and of no localhost", async () => {
  const said = await environment({ platform: "darwin" });
  expect(said).toContain("workspace and to $TMPDIR");
  expect(said).toContain("localhost too");
});

test("the prompt names only tools that the run has", () => {
  const named = (tools: string[]): string => promptFrom({}, tools);
  expect(named([])).not.toMatch(/Recall|todo|<!--/);
  expect(named([])).toContain("choose what is most likely meant");
  expect(named(["Recall", "TodoWrite", "AskUserQuestion"])).toMatch(
    /todo list[^]*would be costly, ask\.[^]*Recall/,
  );
});

test("on Windows the model is told which shell it has", async () => {
  const said = async (hasSandbox: boolean | null) =>
    await environment({ hasSandbox, platform: "win32" });
  expect(await said(false)).toContain("Git Bash, not in PowerShell");
  expect(await said(null)).not.toContain("Git Bash");
});

test("git: nothing is reported about an untrusted project", async () => {
  const text = await environment({ git: null });
  expect(text).not.toContain("Git");
});

test("git: a status that fails is not a clean tree", async () => {
  const text = await withGit({ branch: "main", status: null });
  expect(text).toContain("Git: branch main, changes unknown");
});

test("a session of an older format gets the prompt and the tools of today once, and keeps its model", async () => {
  const imported = { agent: "Codex", id: "1", file: "/f", bytes: 3 };
  const [first, ...rest] = await openingFacts({ ...options, version: 6 });
  if (first?.type !== "session") throw new Error("no session");
  const older = logged([{ ...first, system: "Old.", imported }, ...rest]);
  const tools = [{ name: "Read", description: "", input_schema: { type: "object" as const } }];
  const facts = await openingFacts({ ...options, path: older, tools, model: "claude-b" });
  expect(facts).toEqual([
    { ...first, version: 7, tools, imported },
    { type: "model", model: "claude-b" },
  ]);
  const path = logged([{ ...first, system: "Old." }, ...rest, ...facts]);
  expect(await openingFacts({ ...options, path, model: "claude-b" })).toEqual([]);
});

test("the model is told once when a day begins, and never of an earlier one", async () => {
  const evening = new Date(2026, 0, 2, 23, 58);
  const path = logged(await openingFacts({ ...options, now: evening }));
  expect(newDay(path, new Date(2026, 0, 2, 23, 59))).toBeNull();
  const fact = newDay(path, new Date(2026, 0, 3, 0, 2));
  expect(fact?.content).toEqual([{ type: "text", text: "Today: 2026-01-03" }]);
  const later = [...path, ...logged(fact ? [fact] : [])];
  expect(newDay(later, new Date(2026, 0, 3, 9))).toBeNull();
  // The clock is set back an hour, over midnight.
  expect(newDay(later, new Date(2026, 0, 2, 23, 30))).toBeNull();
  expect(newDay(later, new Date(2026, 11, 1))?.content).toEqual([
    { type: "text", text: "Today: 2026-12-01" },
  ]);
  expect(newDay([], evening)).toBeNull();
});
