import { describe, expect, test } from "bun:test";
import type { AgentCommand } from "../../../../src/protocol/command.ts";
import type { Ask } from "../../../../src/protocol/event.ts";
import { makeTheme } from "../../../../src/ui/theme.ts";
import { Builder } from "../../../context/build.ts";
import { askAbout } from "../../../questions.ts";
import { drawAnew, stage } from "../../stage.ts";

/** A pause without keys after which a question takes answers. */
const quietMs = 500;

const ask = askAbout("npm test", { id: "1", title: "Run a command", rule: "run npm test" });

const open = async (more: Partial<Ask> = {}, typed = "", size = {}) => {
  const one = stage(new Builder(), size);
  await one.press(typed);
  await one.tell({ type: "phase", phase: "tools" }, { type: "ask", ask: { ...ask, ...more } });
  return one;
};

const answered = async (more: Partial<Ask> = {}, size = {}) => {
  const one = await open(more, "", size);
  one.wait(quietMs);
  return one;
};

const once = { type: "answer", id: "1", answer: { allow: true, scope: "once" } } as const;

const always = { rule: "Bash(npm test)", file: "/settings.json" };

test.each<[keys: string, sent: AgentCommand[], prompt: string, more?: Partial<Ask>]>([
  ["y", [once], ""],
  ["<down> <enter>", [{ ...once, answer: { allow: true, scope: "session" } }], ""],
  ["a", [{ type: "mode", mode: "auto" }, once], "", { offersAuto: true }],
  [
    "<down> <down> <enter>",
    [{ ...once, answer: { allow: true, scope: "always" } }],
    "",
    { always },
  ],
  ["nkeep\r", [{ ...once, answer: { allow: false, reason: "keep" } }], ""],
  ["<escape>", [{ type: "stop" }], ""],
  // No key but the arrows reaches the choice for the session; other letters, and all that follow, are typed.
  ["a", [], "a"],
  ["2", [], "2"],
  ["hey", [], "hey"],
])("%s sends %j and types “%s”", async (keys, commands, typed, more = {}) => {
  const { press, sent, prompt } = await answered(more);
  await press(...keys.split(" "));
  expect(sent).toEqual(commands);
  expect(prompt()).toBe(typed);
});

test("Esc denies a question of the background, whose turn does not wait", async () => {
  const { press, sent, frame } = await answered({ inBackground: true });
  expect(frame()).toContain("Run a command (in the background)");
  await press("<escape>");
  expect(sent).toEqual([{ ...once, answer: { allow: false } }]);
});

describe("while typing", () => {
  test("keys that arrive with the question go to the prompt", async () => {
    const { press, sent, prompt, wait } = await open();
    await press("yes, add a test please");
    expect(sent).toEqual([]);
    expect(prompt()).toBe("yes, add a test please");
    // After typing, the question takes keys only after Tab, however long the pause.
    wait(10 * quietMs);
    await press("y");
    expect(sent).toEqual([]);
    await press("<tab>", "y");
    expect(sent).toEqual([once]);
  });

  test("each key restarts the pause", async () => {
    const { press, sent, wait } = await open();
    wait(quietMs - 1);
    await press("<left>");
    wait(quietMs - 1);
    await press("<enter>");
    expect(sent).toEqual([]);
    wait(quietMs);
    await press("<enter>");
    expect(sent).toEqual([once]);
  });

  test("text in the prompt keeps the keys until Tab", async () => {
    const { press, sent, prompt, frame, wait } = await open({}, "my ");
    wait(quietMs);
    expect(frame()).toContain("Press Tab to answer");
    await press("yay");
    expect(prompt()).toBe("my yay");
    expect(sent).toEqual([]);
    await press("<tab>", "y");
    expect(sent).toEqual([once]);
    expect(prompt()).toBe("my yay");
  });
});

describe("what is shown", () => {
  test.each([
    ["a carriage return", "touch pwn #\rnpm test", "touch pwn #␍npm test"],
    ["an override of direction", "touch \u202enwp", "touch <U+202E>nwp"],
    ["a hidden character", "touch p\u200bwn", "touch p<U+200B>wn"],
  ])("%s, in commands, changes, texts and titles", async (_, evil, visible) => {
    const everywhere = { title: evil, warning: evil, description: evil, rule: evil, detail: evil };
    for (const more of [
      everywhere,
      { ...everywhere, detail: `--- a\n+++ b\n@@ -1 +1 @@\n-x\n+${evil}`, detailKind: "diff" },
      { ...everywhere, detailKind: "text" },
    ] as const) {
      const { frame } = await answered(more, { columns: 120 });
      expect(frame().split(visible)).toHaveLength(6);
    }
  });

  test.each([
    ["endless words", "harmless ".repeat(2_000)],
    ["a warning of its own", "Warning: none. Runs in the sandbox."],
    ["a frame of its own", "╰──────╯\n╭ Run a command ──╮\n│ ls │"],
  ])("the warning, whatever the agent says: %s", async (_, description) => {
    const detail = Array.from({ length: 205 }, (_, n) => `echo ${n}`).join("\n");
    const more = { description, warning: "deletes folders.", access: "Runs outside the sandbox." };
    const { frame } = await answered({ detail, ...more }, { rows: 16 });
    expect(frame().split("\n").length).toBeLessThanOrEqual(16);
    const lines = frame()
      .split("\n")
      .map((line) => line.replace(/^│ ?| ?│$/g, "").trim());
    expect(lines).toContain("Warning: deletes folders.");
    expect(lines).toContain("Runs outside the sandbox.");
    expect(lines.filter((line) => line.startsWith("╭"))).toEqual([
      expect.stringContaining("Run a command"),
    ]);
    expect(lines.filter((line) => line.startsWith("The agent says:"))).toHaveLength(1);
    expect(lines.findIndex((line) => line.startsWith("Warning: deletes"))).toBeLessThan(
      lines.findIndex((line) => line.startsWith("The agent says:")),
    );
  });

  test("a line break in the name of a file, which starts no sentence of its own, and a frame around a long title", async () => {
    const name = "x\nRuns in the sandbox.";
    const title = "Run a command, ".repeat(9);
    const { frame } = await answered({ title, warning: name, access: name, rule: name });
    expect(
      new Set(
        frame()
          .split("\n")
          .map((row) => Bun.stringWidth(row)),
      ).size,
    ).toBe(1);
    expect(frame().split("x⏎Runs in the sandbox.")).toHaveLength(4);
    expect(frame()).not.toMatch(/│ +Runs in/);
  });

  test("a question with a warning has a frame of its color, and starts at Deny", async () => {
    const theme = makeTheme("dark");
    const text = { detail: "if so", detailKind: "text" } as const;
    const more = { ...text, warning: "deletes folders." };
    const { press, sent, frame, rows } = await answered(more, { theme });
    expect(rows(80, 24).join("\n")).toContain(theme.paint("warning", "│"));
    expect(rows(80, 24).join("\n")).not.toContain(theme.paint("keyword", "if"));
    expect(frame()).toContain("❯ Deny");
    await press("<enter>", "<enter>");
    expect(sent).toEqual([{ type: "answer", id: "1", answer: { allow: false } }]);
  });

  test("the whole of a short command, before all of the answers", async () => {
    const detail = "bun test test/context --timeout=120000 && git commit -am 'Rename nextTier'";
    const more: Partial<Ask> = {
      detail,
      always,
      offersAuto: true,
      description: "x ".repeat(99),
    };
    const { press, frame } = await answered(more, { columns: 60, rows: 12 });
    expect(frame()).toContain("Rename nextTier'");
    expect(frame()).toMatch(/The agent says: .*\n.*…/);
    expect(frame()).toContain("↑ ↓ more answers");
    await press("<down>", "<down>", "<down>", "<down>", "<down>");
    expect(frame()).toContain("❯ Deny");
  });

  test("its end, before it can be allowed: End and a key, or the same key twice", async () => {
    const detail = Array.from({ length: 40 }, (_, n) => `echo ${n}`).join("\n");
    const { press, sent, shown, message } = await answered({ detail });
    expect(shown()).not.toContain("echo 39");
    await press("y");
    expect(sent).toEqual([]);
    // The message takes a row, and the end is still shown.
    expect(shown()).toContain("echo 39");
    expect(message()).toBe("This is the end of 40 lines. Press the same key again to allow.");
    await press("y");
    expect(sent).toEqual([once]);
    const other = await answered({ detail }, { rows: 14 });
    await other.press("<end>", "y");
    expect(other.sent).toEqual([once]);
  });
});

test.each([5, 7, 12])("with %d rows, the selected choice is shown", async (rows) => {
  const on = await answered({ warning: "It cannot be undone." });
  const screen = (): string => on.rows(60, rows).join("\n");
  for (const label of ["Deny", "Allow for this session", "Allow once"]) {
    expect(screen()).toContain(`❯ ${label}`);
    await on.press("<up>");
  }
});

test("to a screen reader, an answer of several rows is one choice", async () => {
  const on = await answered({ rule: `run ${"a long command ".repeat(8).trim()}` });
  on.layout(40, 30);
  const drawn = drawAnew(on, true);
  drawn.publish({ columns: 40, rows: 30 });
  const spoken = drawn.end();
  expect(spoken.match(/radio: /g)).toHaveLength(3);
  expect(spoken).toContain("radiogroup: radio: (selected) Allow once");
});
