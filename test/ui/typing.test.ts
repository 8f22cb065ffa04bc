/** Typed text is never lost: not in a panel, not while the agent works, not at a resize. */

import { describe, expect, test } from "bun:test";
import type { AgentEvent, Phase } from "../../src/protocol/event.ts";
import { openScripted } from "./scripted.ts";
import { Builder } from "../context/build.ts";
import { program } from "./program.ts";
import { key, type Panel, stage, type Stage } from "./stage.ts";

/** No panel has a command on these letters. */
const typed = "bößé";

/** The place of the typed text: the prompt, the panel's field. */
const places = (on: Stage): string => [on.prompt(), on.frame()].join("\n");

function listPanels(): Panel[] {
  const on = stage(new Builder(), { isKept: true });
  on.end();
  return on.controller.panels.map(({ kind }) => ({ kind }));
}

const kinds = listPanels();

const session = (): Builder => {
  const built = new Builder();
  built.user("one");
  built.step("c1", "result");
  return built;
};

const phases: Phase[] = ["waiting", "tools", "compacting"];

const states: AgentEvent[][] = [
  [],
  ...phases.map((phase): AgentEvent[] => [{ type: "phase", phase }]),
  [
    { type: "phase", phase: "compacting" },
    { type: "compaction", state: { step: "writing", text: "so far" } },
  ],
  [{ type: "retry", attempt: 1, of: 3, waitMs: 9_000, reason: "busy" }],
];

test.each(kinds.map((panel, at): [string, Panel, number] => [JSON.stringify(panel), panel, at]))(
  "typed and pasted into the panel %s",
  async (_, panel, at) => {
    const on = stage(session(), { panel });
    await on.tell(...(states[at % states.length] ?? []));
    await on.press(typed);
    expect(places(on)).toContain(typed);
    await on.emit({ type: "paste", text: "größer" });
    expect(places(on)).toContain("größer");
  },
);

test("a focus that is not used returns to the prompt", async () => {
  const built = new Builder();
  for (let n = 0; n < 6; n++) {
    built.user(`Question ${n}`);
    built.step(`c${n}`, `line of ${n}\n`.repeat(3_000));
  }
  const on = stage(built, { panel: { kind: "compact" } });
  await on.press("keep the paths", "<escape>");
  expect(on.prompt()).toBe("/compact keep the paths");
});

test("text that returns to the prompt does not replace what is there", async () => {
  const on = stage(session());
  await on.press("a draft");
  on.controller.actions.setPrompt("an old message");
  expect(on.prompt()).toBe("an old message\na draft");
});

describe("a field of a panel", () => {
  const letter = (text: string) => key(text, text);

  test("takes the keys that follow the one that opens it, before the next turn", () => {
    const on = stage(session());
    const { controller } = on;
    on.frame();
    controller.press(...[..."/recall"].map(letter), key("enter"), ...[..."one two"].map(letter));
    expect(on.frame()).toMatch(/Search: one two$/m);
    controller.press(key("left"), letter("x"), key("home"), key("ctrl+a"), letter("y"));
    expect(on.frame()).toMatch(/Search: yone twxo$/m);
    controller.press(key("ctrl+w"), letter("z"), key("escape"), letter("!"));
    expect(on.prompt()).toBe("!");
  });

  test("takes the terminal's cursor away from a draft while it takes the keys", async () => {
    const on = stage(session());
    await on.press("a draft");
    on.store.dispatch({ type: "set", panel: { kind: "recall" } });
    await on.press("x");
    expect(on.frame()).toContain("Search: x");
    expect(on.layout(80, 24).budget.cursor).toBeNull();
  });

  test("shows the part of a long value that is edited", async () => {
    const on = stage(session(), { panel: { kind: "recall" }, columns: 40 });
    await on.emit({ type: "paste", text: `start ${"long 🎉 ".repeat(8)}end` });
    expect(on.frame()).toMatch(/Search: .*🎉 end$/m);
    for (let n = 0; n < 25; n++) await on.emit(key("left"));
    await on.emit(letter("Z"));
    expect(on.frame()).toContain("Z");
    expect(on.frame()).not.toContain("end");
    await on.emit(key("ctrl+a"));
    expect(on.frame()).toContain("Search: start long 🎉");
  });
});

describe("all keys of one read reach a field, while an answer streams and the size changes:", () => {
  test.each([
    ["drawn by us", "\x18/", "Filter: ", false],
    ["with Ink's own output", "/recall\r", "Search: ", true],
  ])("%s", async (_, keys, label, inkOutput) => {
    const pty = await openScripted({ items: 40, inkOutput }, { cols: 100, rows: 30 });
    await pty.send("stream 200", "w2");
    await pty.type(keys);
    await pty.waitFor(label.trim());
    let typed = "";
    for (const [cols, rows] of [
      [70, 20],
      [120, 40],
      [80, 24],
    ] as const) {
      pty.resize(cols, rows);
      const word = `bößé${cols} `;
      await pty.type(word);
      typed += word;
    }
    await pty.type("x\x7f");
    await pty.waitFor(`${label}${typed.trimEnd()}`);
    await pty.close();
  });
});

test.each([
  ["drawn by us", {}, "> Ask"],
  ["with Ink's own output", { inkOutput: true }, "> Ask"],
  ["for screen readers", { settings: { screenReader: true } }, "textbox: "],
])(
  "Ctrl-L draws a screen that was overwritten; a terminal of ASCII gets no other sign, %s",
  async (_, script, prompt) => {
    const pty = await openScripted(script, { wanted: prompt, env: { LC_ALL: "C" } });
    await new Promise<void>((done) => pty.terminal.write("\x1b[H\x1b[2J", done));
    expect(pty.screen()).not.toContain(prompt);
    await pty.hit("ctrl+l", prompt);
    await pty.send("say a “quoted” word → done", 'a "quoted" word > done');
    expect(pty.output()).toMatch(/^\p{ASCII}*$/u);
  },
);

test("messages that come back while the editor is open are kept before its text", async () => {
  const edited = Promise.withResolvers<string>();
  const services = { edit: () => edited.promise };
  const { press, settle, controller, prompt } = stage(session(), { services });
  await press("a draft", "<ctrl+g>");
  controller.prompt.takeBack(["queued"]);
  edited.resolve("a longer draft");
  await settle();
  expect(prompt()).toBe("queued\na longer draft");
});

test("messages that come back while the history is read are kept", async () => {
  const read = Promise.withResolvers<string[]>();
  const services = { loadHistory: () => read.promise };
  const { press, settle, controller, prompt } = stage(session(), { services });
  await press("<up>");
  controller.prompt.takeBack(["queued"]);
  read.resolve(["earlier"]);
  await settle();
  expect(prompt()).toBe("earlier");
  await press("<down>");
  expect(prompt()).toBe("queued");
});

test("keys that follow the one that opens another session are a draft there", async () => {
  const { press, sent, opened, prompt } = stage(session());
  await press("/clear\rhello\r there");
  expect(opened).toEqual([{ kind: "new" }]);
  expect(sent).toEqual([]);
  expect(prompt()).toBe("hello there");
});

test("keys typed while the terminal is given back are in the prompt of the next session", async () => {
  const on = await program("leaving");
  const pty = await on.open();
  await pty.type("/clear");
  await pty.waitFor("❯ /clear");
  await pty.beforeAnswer(async () => {
    await pty.press("enter");
    await Bun.sleep(50);
    await pty.type("hello there");
  });
  await pty.waitFor(() => pty.output().split("\x1b[?1049h").length === 3);
  await pty.waitFor("❯ hello there");
  await on.remove();
});
