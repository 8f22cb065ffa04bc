/** Terminal input on the real screen. */

import { expect, onTestFinished, test } from "bun:test";
import { setBackground } from "../../../src/ui/theme.ts";
import { backgroundRequest } from "../../../src/ui/terminal/terminal-input.ts";
import { openScripted } from "../scripted.ts";

/** A paste without an end ends after this silence, in milliseconds. */
const silentMs = 1_000;

const open = (settings: object = {}) => openScripted({ settings });

test("function keys work, in the kitty protocol and in modifyOtherKeys too", async () => {
  const pty = await open();
  await pty.type("\x1bOP");
  await pty.waitFor("send the prompt");
  await pty.type("\x1b[27u");
  await pty.waitFor((now) => !now.includes("send the prompt"));
  await pty.type("\x1b[20~");
  await pty.waitFor("Mouse off.");
  expect(pty.output()).toContain("\x1b[?1002l");
  await pty.type("one\x1b[13;2utwo\x1b[27;2;13~three\x1b\rfour\n");
  await pty.waitFor(/four\n/);
  await pty.send("five\\", /❯ one\n +two\n +three\n +four\n +five\n/);
  await pty.type("six");
  await pty.waitFor(/❯ one\n +two\n +three\n +four\n +five\n +six/);
  await pty.type("\x1b[99;5u");
  await pty.waitFor("❯ Ask");
});

test("Ctrl-C works on a Russian keyboard, and after a paste whose end is lost", async () => {
  const pty = await openScripted({}, { quickMs: silentMs });
  await pty.type("words\x1b[1089::99;5u");
  await pty.waitFor("❯ Ask");
  await pty.type("\x1b[200~one\ntwo");
  await pty.type("\x03");
  await pty.waitFor(/❯ one\n +two/);
  await pty.type("!");
  await pty.waitFor(/❯ one\n +two!/);
  await pty.type("\x1b[27;5;1089~");
  await pty.waitFor("❯ Ask");
  await pty.type("\x1b[200~three");
  await pty.waitFor("❯ three");
  await pty.type("\x1b[1089;5u");
  await pty.type("\x1b[1089;5u");
  await pty.type("\x1b[1089;5u");
  expect(await pty.exited).toBe(0);
});

test("notifies only a user who is elsewhere, with text if set", async () => {
  const pty = await open({ notifyBy: "osc9" });
  await pty.type("\x1b[I");
  await pty.send("ask rm", "Allow once (y)");
  expect(pty.output()).not.toContain("\x1b]9;");
  await pty.close();
  const away = await open({ notifyBy: "osc9" });
  await away.type("\x1b[I");
  await away.send("ask rm;\x1b[O", "Allow once (y)");
  await away.waitFor(() => away.output().includes("\x1b]9;asks: rm,\x07"));
  await away.hit("tab", "❯ Allow once");
  expect(away.output().split("\x1b]9;asks")).toHaveLength(2);
  await away.close();
});

test("tells the end of long work, but not of short work", async () => {
  const { now } = Date;
  onTestFinished(() => void (Date.now = now));
  const pty = await open({ notifyBy: "osc9" });
  for (const passedMs of [0, 11_000]) {
    await pty.send("hang", "Esc stop");
    Date.now = () => now() + passedMs;
    expect(pty.output()).not.toContain("is done");
    await pty.type("\x1b[27u");
    await pty.waitFor((shown) => !shown.includes("Esc stop"));
  }
  await pty.waitFor(() => pty.output().includes("\x1b]9;tmp · mini-claude is done\x07"));
});

test("reports are on only in the alternate screen", async () => {
  const pty = await open();
  await pty.press("ctrl+d");
  expect(await pty.exited).toBe(0);
  const output = pty.output();
  for (const [on, off] of [
    ["\x1b[>5u", "\x1b[<u"],
    ["\x1b[>4;2m", "\x1b[>4;0m"],
    ["\x1b[?1004h", "\x1b[?1004l"],
    ["\x1b[?2004h", "\x1b[?2004l"],
  ] as const) {
    expect(output.split(on)).toHaveLength(2);
    expect(output.indexOf(on)).toBeGreaterThan(output.indexOf("\x1b[?1049h"));
    expect(output.lastIndexOf(off)).toBeLessThan(output.lastIndexOf("\x1b[?1049l"));
    expect(output.lastIndexOf(off)).toBeGreaterThan(output.indexOf(on));
  }
});

/** The user's color on a light background. */
const light = /\[(?:1;)?38;5;2[46]m/;

test("auto follows the terminal's background, and its answer is not typed", async () => {
  onTestFinished(() => setBackground(null));
  const pty = await open({ theme: "auto" });
  await pty.waitFor(() => pty.output().includes(backgroundRequest));
  expect(pty.output()).not.toMatch(light);
  await pty.type("a\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\b");
  await pty.waitFor("❯ ab");
  await pty.waitFor(() => light.test(pty.output()));
});

test("only auto asks for the background, and only where it can be answered", async () => {
  for (const [theme, env] of [
    ["dark", {}],
    ["auto", { TERM: "linux" }],
  ] as const) {
    const pty = await openScripted({ settings: { theme } }, { env });
    // Written after the first frame.
    await pty.waitFor(() => pty.output().includes("\x1b[?2004h"));
    expect(pty.output()).not.toContain("\x1b]11;");
    await pty.close();
  }
});
