import { expect, test } from "bun:test";
import { Builder, rules as builtRules, say } from "../../context/build.ts";
import { mcpWith, type Services, summaryOf } from "../quiet-services.ts";
import { drawAnew, stage, type Stage } from "../stage.ts";

function session(): Builder {
  const built = new Builder();
  built.turn("Build a ship.", "Built.");
  built.wait(120_000);
  built.user("Paint it\nred.");
  const files = [{ path: "/w/ship.ts", before: null, after: "h" }];
  built.add({ type: "checkpoint", toolUse: "c1", files });
  built.answer([say("Red.")]);
  return built;
}

/** A panel of an empty session. */
async function open(
  kind: "sessions" | "connect" | "mcp" | "rewind" | "memory",
  services: Partial<Services> = {},
): Promise<Stage> {
  const on = stage(new Builder(), { panel: { kind }, services });
  await on.settle();
  return on;
}

test("what a rewind left is a branch above the messages; the newest message is preselected", async () => {
  const { press, tell, frame, sent, prompt, settle } = stage(session());
  const at = new Date(0).toISOString();
  const why = "to before a message";
  await tell({ type: "entry", entry: { id: "e9", parent: "e3", at, type: "head", why } });
  await press("/rewind\r", "<tab>");
  await settle();
  expect(frame()).toMatch(/Branches left by rewinds\n.* 1 turn, last: Paint it⏎red\.\nMessages\n❯/);
  await press("<up>", "<enter>");
  expect(sent).toEqual([{ type: "rewind", to: "e6", conversation: true, files: true }]);
  expect(prompt()).toBe("");
});

const rewind = (lines: string[] = []) => {
  const services = { previewRewind: async () => lines };
  return stage(session(), { panel: { kind: "rewind" }, services });
};

test("rewind lists messages newest first, with age and changed files", async () => {
  const { frame, settle } = rewind();
  await settle();
  expect(frame()).toMatch(
    /\n❯ +2s {2}1 file changed since · Paint it⏎red\.\n +2m {2}1 file changed since · Build a ship\.\n/,
  );
});

test.each<[keys: string, to: string, conversation: boolean, files: boolean, prompt: string]>([
  ["<enter>", "e3", true, false, "Paint it\nred."],
  ["<tab> <enter>", "e3", false, true, ""],
  ["<tab> <tab> <down> <enter>", "e1", true, true, "Build a ship."],
  // Moving in the empty filter keeps the selection.
  ["<down> <left> <enter>", "e1", true, false, "Build a ship."],
  ["build\r", "e1", true, false, "Build a ship."],
])("%s rewinds to %s", async (keys, to, conversation, files, typed) => {
  const { press, sent, prompt } = rewind();
  await press(...keys.split(" "));
  expect(sent).toEqual([{ type: "rewind", to, conversation, files }]);
  expect(prompt()).toBe(typed);
});

const restores = ["Restore a.ts", "Delete  b.ts"];
const leaves = ["Restore a.ts", "Leave   b.ts (changed beside a command)"];

test.each([
  ["Enter confirms", restores, "<enter>", {}],
  ["“a” takes what may be the user's own", leaves, "a", { unsure: true as const }],
])("a rewind of files shows a preview first: %s", async (_, lines, key, more) => {
  const { press, settle, frame, sent } = rewind(lines);
  await press("<tab>");
  expect(frame()).toContain("Rewind the files to before");
  await press("<enter>");
  await settle();
  expect(frame()).toContain(lines.join("\n"));
  expect(sent).toEqual([]);
  await press(key);
  expect(sent).toEqual([{ type: "rewind", to: "e3", conversation: false, files: true, ...more }]);
});

test("rewind in a session without messages selects nothing", async () => {
  const { press, frame, sent } = await open("rewind");
  await press("<enter>");
  expect(frame()).toContain("No messages yet.");
  expect(sent).toEqual([]);
});

const summaries = [
  summaryOf("s", "Harbour", { busy: true }),
  summaryOf("old", "Ships", { firstPrompt: "Build a ship." }),
  summaryOf("far", "Sails", { busy: true }),
];

const openSessions = (sessions: Services["sessions"]) => open("sessions", { sessions });

test.each<[keys: string, line: RegExp, opened: string[], message: RegExp]>([
  ["<enter>", /❯ .*this one · Harbour\n/, [], /^$/],
  ["<down> <enter>", /❯ .*  Ships · Build a ship\.\n/, ["old"], /^$/],
  ["<down> <down> <enter>", /❯ .*open elsewhere · Sails\n1 turn · 700 B\n/, [], /^far is open in/],
])("sessions, latest first: %s opens one, unless it is open", async (keys, line, ids, said) => {
  const { frame, press, opened, message } = await openSessions(async () => summaries);
  const [enter = "", ...moves] = keys.split(" ").reverse();
  await press(...moves);
  expect(frame()).toStartWith("── Sessions in this folder");
  expect(frame()).toMatch(line);
  await press(enter);
  expect(opened).toEqual(ids.map((session) => ({ kind: "session", session })));
  expect(message()).toMatch(said);
});

test("a session whose folder is gone goes on here", async () => {
  const moved = summaryOf("old", "Ships", { cwd: "/gone", isHomeless: true });
  const { press, opened } = await openSessions(async () => [moved]);
  await press("<enter>");
  expect(opened).toEqual([{ kind: "session", session: "old" }]);
});

test("of a session of another folder the command that opens it there is copied", async () => {
  const other = summaryOf("far", "Sails", { cwd: "/a b" });
  const { press, opened, copied, message } = await openSessions(async () => [other]);
  await press("<enter>");
  expect(copied).toEqual(["cd '/a b' && mini-claude --resume far"]);
  expect(message()).toStartWith("This session belongs to another folder. Copied: cd '/a b' ");
  expect(opened).toEqual([]);
});

test("a catalog that cannot be read says why", async () => {
  const why = "The folder is not readable.";
  const { frame } = await openSessions(() => Promise.reject(new Error(why)));
  expect(frame()).toContain(why);
});

/** Two large reads: their results are e4 and e6. */
function twoReads(chars = 3_000): Builder {
  const built = new Builder();
  built.user("Read both.");
  built.step("c1", "text ".repeat(chars));
  built.step("c2", "text ".repeat(chars));
  return built;
}

const gone = (entry: string) => [{ kind: "replace" as const, entry, text: "[gone]" }];

test("compactions are undone from a list, newest first, without what a newer summary covers", async () => {
  const restoredOf = async (built: Builder): Promise<Stage["sent"]> => {
    const { press, sent } = stage(built);
    await press("/undo-compact list\r", "<down>", "<enter>");
    return sent;
  };
  const apart = twoReads();
  const { id: older } = apart.cut(gone("e4"));
  apart.cut(gone("e6"));
  expect(await restoredOf(apart)).toEqual([{ type: "restore", cut: older }]);
  const nested = twoReads();
  nested.answer([say("Read.")]);
  nested.cover("e2", "e4");
  const { id: newer } = nested.cover("e2", "e6");
  expect(await restoredOf(nested)).toEqual([{ type: "restore", cut: newer }]);
});

test("an undo waits for the end of the turn; of what a summary covers, one item is copied", async () => {
  const built = twoReads();
  built.cut(gone("e4"));
  const { press, tell, message } = stage(built);
  await tell({ type: "phase", phase: "tools" });
  await press("/undo-compact\r");
  expect(message()).toMatch(/^Restores [\d.]+k tokens for \$\S+ when this turn ends\.$/);
  const covered = twoReads();
  covered.cover("e2", "e4");
  const on = stage(covered);
  await on.press("<ctrl+home>", "<ctrl+o>", "<up>", "<up>", "<up>", "u");
  expect(on.message()).toStartWith("Copied to the end of the context.");
  expect(on.sent).toEqual([{ type: "recall", entry: "e2" }]);
});

test("an undo that does not fit says by how much, and shows what can be dropped, largest first", async () => {
  const built = twoReads(9_000);
  built.cut(gone("e4"));
  built.step("c3", "gray ".repeat(1_000));
  built.answer([say("Done.")]);
  const rules = { ...builtRules, windowTokens: 30_000 };
  const { press, sent, message, frame } = stage(built, { rules, rows: 30 });
  await press("/undo-compact\r");
  expect(sent).toEqual([]);
  expect(message()).toMatch(
    /^[\d.]+k tokens over the limit\. Drop \(d\) or summarize \(s\) items first, then undo\.$/,
  );
  expect(frame()).toContain("Items: ");
  await press("d");
  expect(sent).toMatchObject([{ type: "cut", changes: [{ kind: "replace", entry: "e6" }] }]);
});

test("? in an empty prompt shows the keys; elsewhere it is a letter", async () => {
  const { press, store, prompt } = stage(new Builder());
  await press("what?");
  expect(prompt()).toBe("what?");
  expect(store.state.panel).toBeNull();
  await press("<ctrl+u>", "?");
  expect(store.state.panel).toEqual({ kind: "help" });
});

test("/help lists the topics of the manual, /help TOPIC shows one, and an unknown one is a sentence", async () => {
  const { press, frame } = stage(session(), { rows: 60 });
  await press("/help\r");
  while (!frame().includes("troubleshooting")) await press("<end>");
  expect(frame()).toContain("troubleshooting  When something does not work.");
  await press("<escape>", "/help context\r");
  expect(frame()).toContain("Help: context");
  expect(frame()).toContain("Context and compaction");
  await press("<escape>", "/help contxt\r");
  expect(frame()).toContain("There is no topic contxt; did you mean context?");
});

test("/rewind and /context items take words and list what contains them", async () => {
  const { press, frame } = stage(session());
  await press("/rewind ship\r");
  expect(frame()).toContain("Search: ship");
  expect(frame()).toContain("Build a ship.");
  expect(frame()).not.toContain("Paint it");
  await press("<escape>", "/context items paint\r");
  expect(frame()).toContain("Filter: paint");
  expect(frame()).toContain("Items: 1 of ");
});

test("the smallest panel scrolls by its one row", async () => {
  const on = stage(new Builder(), { panel: { kind: "status" } });
  const shown = () => on.shown(40, 5);
  const [, total = "0"] = /1-1 of (\d+)/.exec(shown()) ?? [];
  expect(Number(total)).toBeGreaterThan(1);
  await on.press("<end>");
  expect(shown()).toContain(`${total}-${total} of ${total}`);
});

type Offer = Awaited<ReturnType<Services["providers"]["list"]>>[number];

const openConnect = (offer: Omit<Offer, "found">): Promise<Stage> =>
  open("connect", {
    providers: { list: async () => [{ found: "", ...offer }], models: async () => [] },
  });

test.each([
  { isReady: false, first: ["<enter>", "<enter>"] },
  { isReady: true, first: ["\t"] },
])("/connect opens the session with the key that is pasted: %j", async ({ isReady, first }) => {
  const provider = "anthropic" as const;
  const named = { title: "Anthropic", keyName: "ANTHROPIC_API_KEY", server: null };
  const { press, opened, store } = await openConnect({ provider, ...named, isReady });
  await press(...first);
  expect(opened).toEqual([]);
  await press("sk-1\r");
  expect(opened).toEqual([{ kind: "provider", provider, key: "sk-1", model: null }]);
  expect(store.state.panel).toBeNull();
});

test("/connect asks for the model of other providers, and says which server must be started", async () => {
  const provider = "openai" as const;
  const named = { title: "OpenAI", keyName: "OPENAI_API_KEY", isReady: false, server: null };
  const { press, opened } = await openConnect({ provider, ...named });
  await press("<enter>", "sk-1\r", "gpt\r");
  expect(opened).toEqual([{ kind: "provider", provider, key: "sk-1", model: "gpt" }]);
  const none = { ...named, title: "Ollama", keyName: null };
  const { press: choose, message } = await openConnect({ provider: "ollama", ...none });
  await choose("<enter>");
  expect(message()).toBe("Start Ollama first; /connect then lists its models.");
});

test("/connect warns of a model that the server does not list, and opens it all the same", async () => {
  const server = { name: "Ollama", baseUrl: "http://localhost:11434", models: ["qwen"] };
  const named = { title: "Ollama", keyName: null, isReady: true };
  const { press, frame, opened } = await openConnect({ provider: "ollama", ...named, server });
  await press("<enter>", "qw");
  expect(frame()).not.toContain("does not list");
  await press("zz");
  expect(frame()).toContain("Ollama does not list qwzz.");
  await press("<enter>");
  expect(opened).toMatchObject([{ kind: "server", model: "qwzz" }]);
});

test("an MCP server is reviewed before it is approved, and connected again by a key", async () => {
  const done: string[] = [];
  const mcp = mcpWith([{ name: "docs", state: "unapproved" }], {
    approve: async (name) => void done.push(`approve ${name}`),
    reconnect: async (name) => void done.push(`reconnect ${name}`),
  });
  const { press, frame, message } = await open("mcp", { mcp });
  await press("a");
  expect(frame()).toMatch(/docs +unapproved +Enter to review and approve it/);
  await press("<enter>", "a", "r");
  expect(done).toEqual(["approve docs", "reconnect docs"]);
  expect(message()).toBe("Reconnecting docs.");
});

test("a file of notes is opened in the editor", async () => {
  const edited: string[] = [];
  const { press, store } = await open("memory", {
    memoryFiles: async () => [{ name: "Notes", path: "/m/here.md", bytes: 7 }],
    editFile: async (path) => void edited.push(path),
  });
  await press("<enter>");
  expect(edited).toEqual(["/m/here.md"]);
  expect(store.state.panel).toBeNull();
});

test("a screen reader is told which item of a list is selected", () => {
  const on = stage(session(), { panel: { kind: "rewind" } });
  const drawn = drawAnew(on, true);
  drawn.publish({ columns: 80, rows: 30 });
  expect(drawn.end()).toMatch(/option: \(selected\) .*Paint it⏎red\.\noption: 2m/);
});

test.each([
  [80, "Enter open · Tab all folders · Esc close"],
  [35, "Enter open · Esc close"],
  [20, "Esc close"],
])("the keys in %d columns: the first of them, and the one that closes", (columns, keys) => {
  const { frame } = stage(new Builder(), { panel: { kind: "sessions" }, columns });
  expect(frame().split("\n").at(-1)).toBe(keys);
});
