import { expect, test } from "bun:test";
import { Builder, say } from "../context/build.ts";
import { modeNamed } from "../../src/protocol/permission.ts";
import { stage } from "./stage.ts";

test("Escape twice opens the rewind, but not over a text, and not slowly", async () => {
  const on = stage(new Builder());
  const panel = () => on.store.state.panel?.kind;
  await on.press("<escape>");
  on.wait(1_000);
  await on.press("<escape>");
  expect(panel()).toBeUndefined();
  on.wait(1_000);
  await on.press("draft", "<escape>", "<escape>");
  expect(panel()).toBeUndefined();
  expect(on.prompt()).toBe("draft");
  on.wait(1_000);
  await on.press("<ctrl+u>", "<escape>", "<escape>");
  expect(panel()).toBe("rewind");
});

test("Escape while the agent works only stops it", async () => {
  const on = stage(new Builder());
  await on.tell({ type: "phase", phase: "waiting" });
  await on.press("<escape>", "<escape>");
  expect(on.sent).toEqual([{ type: "stop" }, { type: "stop" }]);
  expect(on.store.state.panel).toBeNull();
});

/** `shift+tab`, `/mode`, a pause, or the mode that the agent tells. */
test.each([
  [
    "auto is answered by accept-edits",
    "shift+tab accept-edits pause shift+tab accept-edits pause shift+tab",
    "accept-edits auto plan",
  ],
  [
    "a command left auto",
    "shift+tab accept-edits pause shift+tab auto pause /mode accept-edits pause shift+tab",
    "accept-edits auto accept-edits auto",
  ],
  [
    "something else set a mode after auto did not arrive",
    "accept-edits shift+tab accept-edits default shift+tab",
    "auto accept-edits",
  ],
  [
    "it is pressed twice before the agent answers",
    "shift+tab shift+tab auto pause shift+tab plan pause shift+tab",
    "accept-edits auto plan default",
  ],
])("Shift-Tab leads to the next mode where %s", async (_, steps, modes) => {
  const on = stage(new Builder());
  for (const step of steps.split(" ")) {
    const mode = modeNamed(step);
    if (step === "shift+tab") await on.press("<shift+tab>");
    else if (step === "/mode") await on.press("/mode accept-edits", "<enter>");
    else if (step === "pause") on.wait(1_000);
    else if (mode) await on.tell({ type: "mode", mode });
  }
  expect(on.sent.map((command) => command.type === "mode" && command.mode).join(" ")).toBe(modes);
});

test("Ctrl-Z on Windows, which has no job control, says so", async () => {
  const { platform } = process;
  Object.defineProperty(process, "platform", { value: "win32" });
  try {
    const on = stage(new Builder());
    await on.press("half", "<ctrl+z>");
    expect(on.message()).toStartWith("Windows cannot suspend");
    expect(on.prompt()).toBe("half");
  } finally {
    Object.defineProperty(process, "platform", { value: platform });
  }
});

test("Home and End scroll while the prompt is empty, and move in its text otherwise", async () => {
  const built = new Builder();
  built.user("the first words");
  built.answer([say("row\n\n".repeat(40))]);
  const on = stage(built);
  const shown = (): string => on.shown(80, 20);
  shown();
  await on.press("<home>");
  expect(shown()).toContain("the first words");
  await on.press("<end>");
  expect(shown()).not.toContain("the first words");
  await on.press("ab", "<home>", "c");
  expect(on.prompt()).toBe("cab");
  expect(shown()).not.toContain("the first words");
});

test("in three rows, what is further down has a row of its own above the prompt", async () => {
  const built = new Builder();
  built.user("the first words");
  built.answer([say("row\n\n".repeat(40))]);
  const on = stage(built);
  on.rows(80, 20);
  await on.press("<home>");
  const shown = on.rows(8, 3).map((row) => Bun.stripANSI(row).trim());
  expect(shown).toEqual(["▼ more …", "❯ Ask, …", "ask"]);
});

test("another session is not opened while the agent works", async () => {
  const on = stage(new Builder());
  await on.tell({ type: "phase", phase: "tools" });
  await on.press("/clear\r");
  expect(on.message()).toBe("The agent is working. Press Esc to stop it first.");
  await on.tell({ type: "idle", why: "done" });
  await on.press("/clear\r");
  expect(on.opened).toEqual([{ kind: "new" }]);
});

test("an item above the screen is shown from its first line when it is selected", async () => {
  const built = new Builder();
  for (let n = 0; n < 40; n++)
    built.add({ type: "note", kind: "info", text: `note ${n}\nmore\nend` });
  const on = stage(built);
  const rows = (): readonly string[] => on.transcript(80, 10);
  rows();
  await on.press("<ctrl+o>", ...Array(12).fill("k"));
  expect(rows()[0]).toContain("note 27");
});

test("a second Ctrl-C quits within two seconds, and asks again after them", async () => {
  const on = stage(new Builder());
  const stays = async (): Promise<boolean> => {
    await on.press("<f1>");
    return on.store.state.panel !== null;
  };
  await on.press("<ctrl+c>");
  expect(on.message()).toBe("Press Ctrl-C again to quit.");
  on.wait(2_000);
  await on.press("<ctrl+c>");
  expect(await stays()).toBe(true);
  await on.press("<escape>", "<ctrl+c>");
  on.wait(1_999);
  await on.press("<ctrl+c>");
  expect(await stays()).toBe(false);
});

test("an item that is sent in full has nothing to restore", async () => {
  const built = new Builder();
  built.user("hello");
  const on = stage(built);
  on.rows(80, 20);
  await on.press("<ctrl+o>", "u");
  expect(on.message()).toBe("Already sent in full.");
  expect(on.sent).toEqual([]);
});

test("a selected item is copied, its code from the last block on, and pinned; a saved result opens its beginning", async () => {
  const built = new Builder();
  built.user("hello");
  built.step("c1", "head", { tool: "Bash", file: "/f" });
  const text = "Look:\n```ts\nlet a;\n```\nor\n```\nlet b;\n```";
  const { id } = built.answer([say(text)]);
  const read = async (from: number, to: number) => [`from ${from} to ${to}`];
  const openOriginal = async () => ({ lines: 4_000_000, bytes: 9, read });
  const on = stage(built, { services: { openOriginal } });
  on.shown();
  await on.press("<ctrl+o>", "c", "c");
  expect(on.message()).toStartWith("Copied code block 1 of 2");
  await on.press("y", "p");
  expect(on.copied).toEqual(["let b;\n", "let a;\n", text]);
  expect(on.sent).toEqual([{ type: "pin", entry: id, on: true }]);
  expect(on.message()).toStartWith("Pinned");
  await on.press("k", "<enter>");
  expect(on.shown()).toMatch(/lines 1-1 of 4,000,000, 9 B\n.* from 0 to 200/);
});
