import { expect, test } from "bun:test";
import { actions, keyActions, keyGroups } from "../../../src/config/keys.ts";
import { commands } from "../../../src/ui/commands.ts";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

const summary = {
  session: "earlier",
  cwd: "/w",
  title: "Fix the tokenizer",
  firstPrompt: "",
  bytes: 1,
  at: "2026-11-20T10:00:00Z",
  messages: 3,
  busy: false,
};

function open() {
  const saved: [string, unknown][] = [];
  const on = stage(new Builder(), {
    columns: 100,
    services: {
      sessions: async () => [summary, { ...summary, session: "busy", busy: true }],
      commands: async () => [{ name: "fix", description: "Fix an issue", argumentHint: "[n]" }],
      saveSetting: async (name, value) => void saved.push([name, value]),
    },
  });
  return { ...on, saved };
}

test("Ctrl-P lists commands by group, with how they are typed and their key", async () => {
  const on = open();
  await on.press("<ctrl+p>");
  expect(on.frame()).toContain("── Palette");
  expect(on.frame()).toMatch(/every day\n❯ +Switch the model +\/model/);
  expect(on.frame()).toMatch(/What fills the context +\/context {2}Ctrl-T/);
  await on.press("<ctrl+p>");
  expect(on.store.state.panel).toBeNull();
});

test("a command, a key, a session or a setting is found by a part of it, and Enter does it", async () => {
  const on = open();
  await on.press("<ctrl+p>", "fills", "<enter>");
  expect(on.store.state.panel).toEqual({ kind: "map" });
  await on.press("<escape>", "<ctrl+p>", "the permission mode", "<enter>");
  expect(on.store.state.panel).toEqual({ kind: "mode" });
  await on.press("<escape>", "<ctrl+p>", "search the transcript", "<enter>");
  expect(on.controller.transcript.search.isTyping).toBe(true);
  await on.press("<escape>", "<ctrl+p>", "vim", "<down>", "<enter>");
  expect(on.saved).toEqual([["vim", true]]);
  expect(on.message()).toBe("Vim keys in the prompt: on. Applied.");
  await on.press("<ctrl+p>", "tokenizer", "<enter>");
  expect(on.opened).toEqual([{ kind: "session", session: "earlier" }]);
});

test("what needs an argument, and commands of the user, are left in the prompt", async () => {
  const on = open();
  await on.press("<ctrl+p>", "give the session", "<enter>");
  expect(on.prompt()).toBe("/rename ");
  await on.press("<ctrl+u>", "<ctrl+p>", "fix an", "<enter>");
  expect(on.prompt()).toBe("/fix ");
});

test("letters in order find a command by its name", async () => {
  const on = open();
  await on.press("<ctrl+p>", "ucmp");
  expect(on.frame()).toContain("/undo-compact");
});

test("an empty session names the palette, and so does help", async () => {
  const on = stage(new Builder(), { isEmpty: true });
  for (const columns of [60, 80]) {
    expect(on.rows(columns, 20).join("\n")).toContain("Ctrl-P palette");
  }
  on.end();
  const help = stage(new Builder(), { panel: { kind: "help" } });
  await help.settle();
  expect(help.frame()).toContain("Ctrl-P finds and does any of these.");
});

test("the slash menu begins with what is needed every day", async () => {
  const on = open();
  await on.press("/");
  expect(on.controller.prompt.completion.list?.candidates.slice(0, 7)).toEqual(
    "model context compact sessions connect settings help".split(" "),
  );
  const rows = on.rows(100, 30).map((row) => Bun.stripANSI(row).trimEnd());
  expect(rows.find((row) => row.includes("/model"))).toMatch(/switch the model.*every day$/);
  expect(rows.find((row) => row.includes("/context"))).not.toContain("every day");
});

test("every key belongs to one group of help, and every command to one", () => {
  expect(keyGroups.flatMap(([, names]) => names).toSorted()).toEqual(keyActions.toSorted());
  expect(Object.keys(actions)).toContain("palette");
  expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length);
});

test("help has two columns where there is room, and one where there is not", async () => {
  const showsColumns = async (columns: number): Promise<boolean> => {
    const on = stage(new Builder(), { panel: { kind: "help" }, columns, rows: 60 });
    await on.settle();
    return /Keys: the agent +(?:Commands|Keys|Signs|Topics)/.test(on.frame());
  };
  expect(await showsColumns(120)).toBe(true);
  expect(await showsColumns(80)).toBe(false);
});

test("Ctrl-C closes a panel, at any depth, and quits nothing", async () => {
  const on = open();
  await on.press("/status\r", "<ctrl+c>");
  expect(on.store.state.panel).toBeNull();
  expect(on.message()).toBe("");
  await on.press("/settings\r", "theme", "<enter>", "<ctrl+c>");
  expect(on.store.state.panel).toBeNull();
  await on.press("<ctrl+c>");
  expect(on.message()).toBe("Press Ctrl-C again to quit.");
});

test("a message of the moment leaves soon after the turn, and is readable until then", async () => {
  const on = open();
  await on.tell({ type: "phase", phase: "waiting" });
  on.controller.flash("Will compact when this step is done.");
  await on.tell({ type: "idle", why: "done" });
  expect(on.message()).toBe("Will compact when this step is done.");
  on.wait(2_000);
  on.controller.dispatch({ type: "tick", nowMs: on.controller.nowMs });
  expect(on.message()).toBe("");
});
