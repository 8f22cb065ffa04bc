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
import { escapeCodes } from "../escape-codes.ts";
import { openScripted } from "./scripted.ts";

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

for (const [name, evil] of Object.entries(escapeCodes)) {
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
