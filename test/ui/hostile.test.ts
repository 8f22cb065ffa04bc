/**
 * Text from models, tools, files, servers and names stays in its cells: it cannot move the cursor,
 * clear the screen, set the title, ring the bell, or color or reorder text. Tests each sequence in
 * each place, on the real screen.
 */

/* eslint-disable no-control-regex -- control characters are what it is about */

import { expect, test } from "bun:test";
import type { Fact } from "../../src/protocol/entry.ts";
import { call, say } from "../context/build.ts";
import { answer, makeReport } from "../facts.ts";
import { openScripted } from "./scripted.ts";

/** These must never reach the terminal unescaped. A session shows what is of a kind at once. */
const corpus: Record<string, string> = {
  "C0: bell, backspace, form feed, shift out, carriage return": "\x07\x08\x0b\x0c\x0e\x0f\rOVER",
  "CSI: clear, home, move, color, hidden, modes, mouse, scroll region, insert, repeat":
    "\x1b[2J\x1b[H\x1b[10A\x1b[3;3H \x1b[31;7m\x1b[8m \x1b[?1049l\x1b[?25l\x1b[?1003h \x1b[2;3r\x1b[5L\x1b[9b",
  "C1 in UTF-8: CSI, OSC, DCS": "\u009b31m\u009b2J \u009d0;owned\u0007\u0090q\u009c",
  "OSC: title, clipboard, link, notice":
    "\x1b]0;owned\x07\x1b]2;owned\x1b\\ \x1b]52;c;b3duZWQ=\x07\x1b]8;;http://owned\x07\x1b]9;owned\x07",
  "DCS, APC, PM, SOS": "\x1bP+q\x1b\\\x1b_Gowned\x1b\\\x1b^x\x1b\\\x1bXx\x1b\\",
  "an OSC without an end": "\x1b]0;owned",
  "resets, charsets, index, reports": "\x1bc\x1b(0\x1bD\x1bM\x1b7\x1b8\x1b#8\x1b[6n\x1b[c",
  "a sequence in a sequence": "\x1b\x1b[[2J\x1b[\x1b]0;owned\x07",
  "bidirectional overrides, zero width, line separators, tags":
    "\u202Eowned\u202C\u2066\u2069\u200F \u200B\u2060\uFEFF\u2028\u2029 \u{E0001}\u{E0041}\u{E007F}",
  "a pile of combining marks": "e" + "\u0301".repeat(60),
  "a lone surrogate": "\ud800",
};

const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 };

/** A session with the text in every untrusted place. */
const everywhere = (evil: string): Fact[] => [
  { type: "user", content: [say(`user ${evil} end`)] },
  answer(
    usage,
    [
      { type: "thinking", thinking: `thought ${evil} end`, signature: "" },
      say(
        `answer ${evil} end [link](${evil}) \`${evil}\`\n\n\`\`\`${evil}\n${evil}\n\`\`\`\n\n| ${evil} |\n|---|\n| ${evil} |`,
      ),
      call("1", `mcp__${evil}`, { command: evil, [evil]: evil }),
    ],
    { stop: "tool_use" },
  ),
  makeReport({
    toolUse: "1",
    tool: evil,
    content: [say(`result ${evil} end`)],
    lines: 1,
    file: `/tmp/${evil}`,
  }),
  { type: "context", kind: "shell", title: evil, content: [say(evil)] },
  { type: "note", kind: "error", text: `note ${evil} end` },
  { type: "note", kind: "title", text: `title ${evil}` },
  { type: "model", model: `model${evil}` },
  { type: "user", content: [say("the last one")] },
];

const settings = { notifyBy: "osc9" as const };

/** Codes that the screen itself may write: positions, lines, scrolling from the top, modes, theme colors, and its question for the background. */
const own =
  /\x1b\[(?:\d*[ABCDEFGJK]|\d+[ST]|(?:1;\d+)?r|\d*;?\d*H|(?:[0-9;]*)m|2[23];0t|5n|>5u|>4;[02]m|<u|\?(?:1049|7|25|1002|1006|1004|2004|2026)[hl])|\x1b\](?:(?:0|9);[^\x00-\x1f\x7f-\x9f]*|8;;(?:https?:[\x21-\x7e]*)?)\x07|\x1b\]11;\?\x1b\\/g;

/** Colors in the hostile texts, which no theme uses. */
const strange = /\x1b\[(?:31;7|8|31)m/;
const harmful =
  /[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

for (const [name, evil] of Object.entries(corpus)) {
  test(name, async () => {
    const size = { cols: 120, rows: 90 };
    const pty = await openScripted({ history: everywhere(evil), settings }, size);
    // Shows opened calls and thinking, the question, typed text, and the output of a running
    // tool.
    await pty.press("ctrl+o", "k", "k", "k", "enter", "k", "enter", "k", "k", "enter");
    await pty.send("\x1b[27ulive", "Allow once (y)");
    // Not within one of the screen's own codes.
    const screen = await pty.waitFor(() => !/\x1b[^a-zA-Z]*$/.test(pty.output()));
    for (const shown of ["the last one", "▾ thinking", "│ command:", "▾ shell:"])
      expect(screen).toContain(shown);
    const rest = pty.output().replace(own, "");
    expect(strange.test(pty.output())).toBe(false);
    const at = rest.search(harmful);
    expect(at === -1 ? "" : rest.slice(Math.max(0, at - 40), at + 20)).toBe("");
    expect(pty.output()).not.toMatch(/\x1b\]0;[^\x07]*\x1b/);
    // The meter and the prompt are in place.
    const lines = screen.split("\n");
    expect(lines.at(-1)).toMatch(/^ {2}▐/);
    expect(lines.at(-3)).toMatch(/^ {2}❯/);
    await pty.close();
  });
}
