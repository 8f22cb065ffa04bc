/** Every state of the screen, built without a terminal, a clock or a server. */

import { homedir } from "node:os";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import type { Ask } from "../../../src/protocol/event.ts";
import type { Theme } from "../../../src/ui/theme.ts";
import { Builder, call, rules as built, say } from "../../context/build.ts";
import { askAbout } from "../../questions.ts";
import { mcpWith, quietServices, type Services, summaryOf } from "../quiet-services.ts";
import { type Panel, stage, type Stage } from "../stage.ts";

const rules = { ...built, windowTokens: 100_000, model: "claude-sonnet-5-5" };

const diff =
  "Changed meter.ts.\n--- a/src/context/meter.ts\n+++ b/src/context/meter.ts\n@@ -76,5 +76,6 @@\n" +
  " /** What happens next. Pure. */\n" +
  "-export function nextTier(used: number, effective: number): Next {\n" +
  "+export function nextEvent(used: number, effective: number): Next {\n" +
  "   const share = used / effective;\n+  if (share >= 1) return full;\n   return tiers.find(({ at }) => share < at);";

const source = (name: string): string =>
  Array.from(
    { length: 90 },
    (_, n) => `${String(n + 1).padStart(6)}\texport const ${name}${n} = measure(${n});`,
  ).join("\n");

/** A turn with all variants of calls. */
export function turn(): Builder {
  const on = new Builder({ model: rules.model });
  on.user("rename nextTier to nextEvent and make the tests pass");
  on.answer([
    say("I'll look at where it is used first."),
    call("g1", "Grep", { pattern: "nextTier", path: "src", output_mode: "content" }),
  ]);
  on.result("g1", "src/context/meter.ts:77\nsrc/tui/meter.ts:12\nsrc/tui/layout.ts:3", {
    tool: "Grep",
  });
  for (const name of ["meter", "layout", "forecast"]) {
    on.answer([call(name, "Read", { file_path: `src/${name}.ts` })]);
    on.result(name, source(name));
  }
  on.answer([call("w1", "Edit", { file_path: "src/context/meter.ts" })]);
  on.result("w1", diff, { tool: "Edit" });
  on.answer([call("b1", "Bash", { command: "bun test test/context" })]);
  on.result("b1", "1 pass\n2 fail\nmeter > shows the next event\n[exit code 1]", {
    tool: "Bash",
    isError: true,
  });
  on.answer([call("b2", "Bash", { command: "bun test test/context" })]);
  on.result("b2", "48 pass\n0 fail", { tool: "Bash" });
  on.answer([
    say(
      "Done: renamed in **3 files**, 48 tests pass.\n\n| file | change |\n| --- | --- |\n| `meter.ts` | renamed, and full is a case of its own |\n| `layout.ts` | renamed |\n\n```ts\nnextEvent(used, effective);\n```\n\nSee [the issue](https://example.com/issues/12).",
    ),
  ]);
  return on;
}

/** The same, with a part of it cut. */
function compacted(): Builder {
  const on = turn();
  const results = on.path.filter(({ type }) => type === "result").slice(0, 4);
  on.add({
    type: "cut",
    tier: "microcompact",
    trigger: "idle",
    reason: "the cache has expired",
    changes: results.map(({ id }) => ({
      kind: "replace",
      entry: id,
      text: `[cleared, see #${id}]`,
    })),
    price: { usedBefore: 4_300, usedAfter: 1_100, cachedBroken: 0, usd: 0, breakEvenCalls: 1 },
  });
  on.turn("And what is left to do?", "Nothing: the change is complete.");
  return on;
}

/** A long session. */
function long(): Builder {
  const on = compacted();
  for (let n = 0; n < 12; n++) {
    on.user(`Question ${n} about the parser`);
    on.step(`s${n}`, source(`part${n}`));
    on.answer([say(`Answer ${n}.`)]);
  }
  return on;
}

/** A list of which one step is done and one under way. */
function planned(): Builder {
  const on = new Builder({ model: rules.model });
  on.user("Rename nextTier everywhere.");
  const steps = { completed: "Find it", in_progress: "Rename it", pending: "Run the tests" };
  const todos = Object.entries(steps).map(([status, content]) => ({ content, status }));
  on.answer([call("t1", "TodoWrite", { todos })]);
  on.result("t1", "Noted.", { tool: "TodoWrite" });
  return on;
}

/** Rules of the user's and of the project, and a summary that kept them. */
function ruled(): Builder {
  const on = new Builder({ model: rules.model });
  on.add({
    type: "context",
    kind: "instructions",
    title: "AGENTS.md",
    content: [say("- Always use bun, never npm.\n- Tests live in *_spec.ts files.")],
  });
  const first = on.user(
    "Speed up the parser. Never change its public types. Don't add dependencies.",
  );
  on.step("p1", source("parser"));
  on.answer([say("The tokenizer allocates a string for each token.")]);
  on.user("No, keep the error positions. Use one buffer.");
  on.step("p2", source("tokens"));
  const last = on.answer([say("Done: one buffer, and the positions are kept.")]);
  const kept =
    "Never change its public types. Don't add dependencies. No, keep the error positions. Use one buffer. Always use bun, never npm. Tests live in *_spec.ts files.";
  on.add({
    type: "cut",
    tier: "summary",
    trigger: "key",
    reason: "you asked for it",
    changes: [{ kind: "cover", span: { from: first.id, to: last.id }, text: kept }],
    price: { usedBefore: 61_000, usedAfter: 9_400, cachedBroken: 0, usd: 0.05, breakEvenCalls: 4 },
    summary: {
      by: "model",
      turns: 2,
      instructionsPutBack: [],
      losses: [],
      rules: { kept: 6, all: 6 },
    },
  });
  on.turn("Is the changelog up to date?", "Yes: the entry of 0.3 names it.");
  return on;
}

const at = (hours: number): string =>
  new Date(Date.UTC(2026, 10, 20) - hours * 3_600_000).toISOString();

const summary = summaryOf("20261119-2200-abc", "Fix the tokenizer", {
  cwd: "/code/parser",
  bytes: 400_000,
  usedTokens: 84_000,
  readWork: async () => ({ turns: 61, usd: 4.2 }),
  at: at(2),
});

const server = {
  name: "docs",
  scope: "project",
  state: "unapproved",
  where: "npx docs-server --stdio",
  tools: [{ name: "find", description: "Finds a page.\nIn all languages." }],
  prompts: ["explain"],
  resources: 3,
  problems: ["It asks for samples, which it does not get."],
};

const hook = { event: "PreToolUse", matcher: "", source: "/s", last: null };

const tiers = ["budget", "microcompact"] as const;

/** A command that has printed nothing. */
const silent = { lastLine: "", bytes: 0, file: "/f" };

const services: Partial<Services> = {
  gitState: async () => ({ branch: "ma\x1b[2Jin", changedFiles: 3 }),
  instructions: async () => ["AGENTS\x1b]0;x\x07.md"],
  latestSession: async () => ({ ...summary, turns: 61 }),
  sessions: async () => [
    summary,
    { ...summary, title: "Add\n\x1b[2Ja parser", firstPrompt: "\x1b]0;x\x07add one", at: at(50) },
    { ...summary, title: "", cwd: "/go\x1b[mne", isHomeless: true },
  ],
  mcp: mcpWith([server]),
  hooks: async () => [
    { ...hook, event: "TurnStart", source: "built-in", name: "compact", tiers },
    { ...hook, matcher: "Bash", name: "./a.sh", last: "blocked: \u001b[2Jno" },
    { ...hook, name: "./b.sh" },
  ],
  memoryFiles: async () => [
    { name: "Notes on this folder", path: `${homedir()}/m/here.md`, bytes: null },
    { name: "Instructions", path: "/code/parser/CLAUDE.md", bytes: 2_000 },
  ],
  models: async () => ["reads-free", "free"],
  modelRules: async (name) => {
    const [input, output] = [0, name === "free" ? 0 : 3];
    return { ...rules, prices: { ...rules.prices, input, output } };
  },
  loadHistory: async () => ["fix the parser", "run the tests", "explain the parser"],
  background: {
    ...quietServices.background,
    list: async () => [
      { ...silent, id: "bash_2", command: "npm run dev", isRunning: true, state: "running" },
      { ...silent, id: "bash_1", command: "npm test", isRunning: false, state: "exit 0" },
    ],
  },
};

const command = askAbout("rm -rf dist && npm run build", {
  title: "Run a command",
  warning: "This command deletes folders recursively: dist, 214 files.",
  description: "clean the build first",
});

const edit = askAbout(diff, {
  tool: "Edit",
  title: "Edit src/context/meter.ts",
  detailKind: "diff",
  rule: "edits in src",
});

const choices = askAbout("Where should sessions be kept?", {
  tool: "AskUserQuestion",
  title: "Storage · 1 of 2",
  detailKind: "text",
  poll: {
    options: [
      { label: "SQLite", description: "one file, easy to search" },
      { label: "JSON lines", description: "readable, append-only" },
    ],
    takesSeveral: true,
    among: { at: 0, headers: ["Storage", "Checks"], answers: [null, "Types"] },
  },
});

const planText =
  "## Make pages one-based\n\n1. Change `pageOf` in **src/pages.ts**\n2. Adapt the tests\n\n**Risk:** links saved before";

const plan = askAbout(planText, {
  tool: "ExitPlanMode",
  title: "Carry out this plan?",
  detailKind: "text",
  poll: {
    options: [
      { label: "Yes, and ask before changes" },
      { label: "Yes, and don't ask for edits and sandboxed commands" },
    ],
    takesSeveral: false,
    editable: planText,
  },
});

export type State = {
  name: string;
  session: () => Builder;
  isEmpty?: boolean;
  panel?: Panel;
  /** It lists everything, so it changes with every new setting or command. */
  grows?: true;
  /** Keys and events before the picture is taken. */
  act?(on: Stage): Promise<void>;
};

const asked = (ask: Ask) => async (on: Stage) => {
  await on.tell({ type: "ask", ask });
  on.wait(5_000);
};

export const states: readonly State[] = [
  {
    name: "start",
    session: () => new Builder({ model: rules.model }),
    isEmpty: true,
    async act({ controller, settle }) {
      controller.folder.load();
      await settle();
    },
  },
  { name: "turn", session: turn },
  {
    name: "streaming",
    session: turn,
    async act(on) {
      await on.tell(
        { type: "phase", phase: "waiting" },
        { type: "delta", index: 0, kind: "thinking", text: "They want the name changed." },
        { type: "delta", index: 1, kind: "text", text: "First, **one** thing: the name is" },
        { type: "queue", waiting: ["and add\na \x1b[2Jtest", "", "then", "commit", "it"] },
      );
      on.wait(14_000);
      await on.press("then");
    },
  },
  {
    name: "running",
    session() {
      const on = turn();
      on.user("run all tests");
      on.answer([call("r1", "Bash", { command: "bun test" })]);
      return on;
    },
    async act(on) {
      const tail = "test/a.test.ts:\n(pass) one\n(pass) two";
      await on.tell(
        { type: "phase", phase: "tools" },
        { type: "progress", toolUse: "r1", tail, bytes: 300 },
      );
      on.store.dispatch({ type: "set", inBackground: 1 });
      on.wait(7_000);
    },
  },
  { name: "question", session: turn, act: asked(command) },
  { name: "question about an edit", session: turn, act: asked(edit) },
  { name: "question with choices", session: turn, act: asked(choices) },
  { name: "plan", session: turn, act: asked(plan) },
  { name: "compact", session: long, panel: { kind: "compact" } },
  { name: "compacted", session: compacted },
  { name: "context map", session: long, panel: { kind: "map" } },
  { name: "context items", session: long, panel: { kind: "items" } },
  { name: "unused items", session: long, panel: { kind: "items", text: "unused" } },
  { name: "rules", session: ruled, panel: { kind: "rules" } },
  { name: "context cost", session: long, panel: { kind: "cost" } },
  { name: "lens", session: compacted, panel: { kind: "lens" } },
  { name: "sessions", session: turn, panel: { kind: "sessions" } },
  { name: "settings", session: turn, panel: { kind: "settings" }, grows: true },
  { name: "help", session: turn, panel: { kind: "help" }, grows: true },
  { name: "server", session: turn, panel: { kind: "mcp" }, act: (on) => on.press("<enter>") },
  { name: "hooks", session: compacted, panel: { kind: "hooks" } },
  { name: "memory", session: turn, panel: { kind: "memory" } },
  { name: "models", session: turn, panel: { kind: "model" } },
  {
    name: "todo",
    session: planned,
    panel: { kind: "todo" },
    act: (on) => on.tell({ type: "phase", phase: "tools" }),
  },
  { name: "tasks", session: turn, panel: { kind: "background" } },
  { name: "slash menu", session: turn, grows: true, act: (on) => on.press("/") },
  { name: "earlier prompts", session: turn, act: (on) => on.press("<ctrl+r>", "pars") },
  {
    name: "selected item",
    session: turn,
    act: (on) => on.press("<ctrl+o>", "k", "k", "k", "<enter>"),
  },
  {
    name: "failure",
    session: turn,
    act: (on) => on.tell({ type: "idle", why: "failed", message: "Check your balance." }),
  },
];

/** The rows of the gallery's pictures. */
export const galleryRows = 30;

/** The rows of a state's screen: the second frame, which includes what is computed between frames. */
export async function drawRows(
  on: Stage,
  width: number,
  height = galleryRows,
): Promise<readonly string[]> {
  on.rows(width, height);
  await new Promise((resolve) => setTimeout(resolve, 0));
  await on.settle();
  return on.rows(width, height);
}

/** The stage of a state, as it is on the picture. */
export async function stageState(state: State, theme: Theme, isKept = false): Promise<Stage> {
  const { session, isEmpty = false, panel, act } = state;
  const policy = { ...defaultPolicy, keepResults: 1 };
  const on = stage(session(), {
    rules,
    services,
    theme,
    isEmpty,
    isKept,
    cwd: "/code/parser",
    version: "1.0.0",
    settings: policy,
    ...(panel ? { panel } : {}),
  });
  await on.settle();
  await act?.(on);
  await on.settle();
  return on;
}
