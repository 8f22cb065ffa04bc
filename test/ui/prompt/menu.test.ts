import { expect, test } from "bun:test";
import { makeTheme } from "../../../src/ui/theme.ts";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

function open() {
  const commands = async () => [{ name: "fix", description: "Fix an issue", argumentHint: "[n]" }];
  return stage(new Builder(), { columns: 100, services: { commands } });
}

const offered = (on: ReturnType<typeof open>): readonly string[] =>
  on.controller.prompt.completion.list?.candidates ?? [];

test("Ctrl-P opens the menu over a draft, which returns when the menu closes or a command ran", async () => {
  const on = open();
  await on.press("a draft", "<ctrl+p>");
  expect(on.prompt()).toBe("/");
  await on.press("<escape>");
  expect(on.prompt()).toBe("a draft");
  await on.press("<ctrl+p>", "sta", "<ctrl+c>");
  expect(on.prompt()).toBe("a draft");
  await on.press("<ctrl+p>", "<backspace>");
  expect(on.prompt()).toBe("a draft");
  await on.press("<ctrl+p>", "status", "<enter>");
  expect(on.store.state.panel).toEqual({ kind: "status" });
  expect(on.prompt()).toBe("a draft");
});

test("a command is found by its name, by letters of it in order, and by words of its description", async () => {
  const on = open();
  await on.press("<ctrl+p>", "permission");
  expect(offered(on)).toContain("mode");
  await on.press("<ctrl+u>", "/ucmp");
  expect(offered(on)).toEqual(["undo-compact"]);
  await on.press("<ctrl+u>", "/cont", "<enter>");
  expect(on.store.state.panel).toEqual({ kind: "map" });
});

test("what needs an argument, and commands of the user, are left in the prompt", async () => {
  const on = open();
  await on.press("/renam", "<enter>");
  expect(on.prompt()).toBe("/rename ");
  await on.press("<ctrl+u>", "/fix", "<ctrl+u>", "/fi", "<enter>");
  expect(on.prompt()).toBe("/fix ");
});

test("views of the context are opened by name, with words to find items by", async () => {
  const on = open();
  await on.press("/context lens\r");
  expect(on.store.state.panel).toEqual({ kind: "lens" });
  await on.press("<escape>", "/restore paint\r");
  expect(on.store.state.panel).toEqual({ kind: "items", text: "removed paint" });
  await on.press("<escape>", "/context nowhere\r");
  expect(on.message()).toStartWith("There is no view nowhere: choose map, items");
});

test("the slash menu offers every command once, first what is needed every day", async () => {
  const on = open();
  await on.press("/");
  expect(offered(on).length).toBeGreaterThan(30);
  expect(new Set(offered(on)).size).toBe(offered(on).length);
  expect(offered(on).slice(0, 7)).toEqual(
    "model context compact sessions connect settings help".split(" "),
  );
  const rows = on.rows(100, 30).map((row) => Bun.stripANSI(row).trimEnd());
  expect(rows.find((row) => row.includes("/model"))).toMatch(
    /\/model {10}switch the model.*every day$/,
  );
  expect(rows.find((row) => row.includes("/context"))).not.toContain("every day");
});

test("each panel opens by its command, and by its keys, which close it, too", async () => {
  const on = open();
  const panel = () => on.store.state.panel?.kind;
  for (const { kind, command: [usage = ""] = [] } of on.controller.panels)
    if (usage !== "") {
      await on.press(`/${usage.split(" ")[0]}\r`);
      expect(panel()).toBe(kind);
      on.store.dispatch({ type: "set", panel: null });
    }
  for (const pair of "ctrl+s compact,ctrl+t map,ctrl+x items,alt+v lens,f2 lens,f4 background,f1 help,alt+t todo,f3 todo".split(
    ",",
  )) {
    const [key = "", kind] = pair.split(" ");
    await on.press(`<${key}>`);
    expect([key, panel()]).toEqual([key, kind]);
    await on.press(`<${key}>`);
    expect(panel()).toBeUndefined();
  }
});

test.each([
  ["/copy\r", "Copied last answer"],
  ["<f6>", "Copied last answer"],
  ["/mouse\r", "Mouse on: the wheel scrolls"],
  ["<f9>", "Mouse on: the wheel scrolls"],
  ["/vim\r", "Vim keys on"],
  ["/rename\r", "/rename needs a title."],
  ["/export talk.md\r", "Exported to /w/talk.md."],
  ["/editor\r", "The action editor has no key; assign one in the setting keys."],
  ["/rename a walk\r", "The session is now called a walk."],
  ["/undo-compact\r", "No compaction to undo."],
  ["/redo-compact\r", "No compaction to redo."],
])("%j says: %s", async (keys, said) => {
  const built = new Builder();
  built.turn("hello", "Hi.");
  const services = { exportSession: async (name: string) => `/w/${name}` };
  const on = stage(built, { services, settings: { keys: { editor: [] } } });
  await on.press(keys);
  expect(on.message()).toStartWith(said);
});

test.each([
  [120, /Keys: the agent +Commands: session\nEnter {19}send the prompt/],
  [80, /Keys: the agent\nEnter {19}send the prompt/],
  [40, /Keys: the agent\nEnter\n {2}send the prompt\n/],
])("help in %d columns", async (columns, shown) => {
  const on = stage(new Builder(), { panel: { kind: "help" }, columns, rows: 60 });
  await on.settle();
  expect(on.frame()).toMatch(shown);
  expect(on.frame()).not.toContain(" quit:");
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

test("/effort takes a known level, and names the levels otherwise", async () => {
  const on = open();
  await on.press("/effort enormous\r");
  expect(on.message()).toMatch(/^Effort: default\. Choose low, .*, high, .*default\.$/);
  await on.press("/effort high\r");
  await on.press("/effort\r");
  expect(on.message()).toStartWith("Effort: high. Choose ");
  await on.press("/theme pink\r");
  expect(on.message()).toStartWith("There is no theme pink: choose dark, ");
  await on.press("/theme light\r");
  expect(on.store.theme.name).toBe("light");
  await on.press("/model m2\r");
  expect(on.sent.at(-1)).toEqual({ type: "model", model: "m2" });
});

test("the arrows walk through ten files, around both ends", async () => {
  const paths = Array.from({ length: 12 }, (_, n) => `file${n}.ts`);
  const files = async () => ({ paths, rest: null });
  const theme = makeTheme("dark");
  const on = stage(new Builder(), { theme, services: { files } });
  const choose = async (...keys: string[]): Promise<string> => {
    await on.press("<ctrl+u>", "@file", ...keys, "<tab>");
    return on.prompt();
  };
  expect(await choose()).toBe("@file0.ts ");
  expect(await choose("<down>")).toBe("@file1.ts ");
  expect(await choose("<down>", "1")).toBe("@file1.ts ");
  expect(await choose("<up>")).toBe("@file9.ts ");
  expect(await choose("<up>", "<down>")).toBe("@file0.ts ");
  await on.press("<ctrl+u>", "@file", "<up>");
  const chosen = theme.paint("selected", "  file9.ts".padEnd(76));
  expect(on.rows(80, 24).join("\n")).toContain(chosen);
});

test("files are offered once they have been read, and until then it says so", async () => {
  const whole = Promise.withResolvers<void>();
  let rest: Promise<void> | null = whole.promise;
  const files = async () => ({ paths: rest ? [] : ["late.ts"], rest });
  const on = stage(new Builder(), { services: { files } });
  await on.press("@la");
  expect(on.shown()).toContain("Still reading the folder … · Esc close");
  rest = null;
  whole.resolve();
  await on.settle();
  expect(on.shown()).toMatch(/\n +late\.ts\n/);
  expect(on.shown()).not.toContain("Still reading");
});
