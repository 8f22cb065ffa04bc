/**
 * A newcomer follows the manual: the first start, every key and every command of its tables, and
 * its shell commands. Whatever is added there must be tested here.
 */

import { afterAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runInProcess } from "../in-process.ts";
import { program } from "./program.ts";
import type { MemoryTerminal } from "./memory.ts";

const topic = (name: string): Promise<string> =>
  Bun.file(join(import.meta.dir, `../../src/docs/${name}.md`)).text();
const screenTopic = await topic("screen");
const on = await program("walk");
afterAll(on.remove);

const idle = /❯ Ask/;

/** The rows of the manual's table with this head, each as its first cell. */
function readRows(head: string): string[] {
  const lines = screenTopic.split("\n");
  const from = lines.findIndex((line) => line.startsWith(`| ${head} `));
  const rows: string[] = [];
  for (const line of lines.slice(from + 2)) {
    if (!line.startsWith("|")) break;
    rows.push(line.split("|")[1]?.trim() ?? "");
  }
  return rows;
}

/** Commands that open a panel, with what it shows. */
const panels: Record<string, RegExp> = {
  cost: /── Cost[\s\S]*This project/,
  settings: /── Settings[\s\S]*Model used for answers/,
  status: /── Status[\s\S]*Permissions/,
  mode: /── Permission mode/,
  tasks: /── Commands in the background/,
  mcp: /── MCP servers/,
};
for (const name of "compact context rules lens recall sessions rewind model connect theme todo memory hooks help".split(
  " ",
))
  panels[name] = new RegExp(`── ${name}`, "i");

/** Commands that do something at once, with what they say. */
const actions: Record<string, [argument: string, says: RegExp]> = {
  "undo-compact": ["", /No compaction to undo|Undone/],
  "redo-compact": ["", /[Nn]o(thing| compaction)|Redone|redo/],
  goal: ["", /was not sent: \/goal/],
  budget: ["", /There is no budget/],
  search: ["ship", /new search/],
  editor: ["", idle],
  mouse: ["", /Mouse o(n|ff)/],
  review: ["", /needs a language model|review/i],
  export: ["walk.md", /Exported to \S+\/walk\/walk\.md/],
  init: ["", /\/init needs a language model/],
  rename: ["the walk", /now called the walk/],
  effort: ["high", /effort|high/i],
  vim: ["", /Vim keys o(n|ff)/],
  copy: ["", /Copied last answer/],
  fork: ["a fork", /Forked from/],
  new: ["", /The built-in offline model answers/],
};

/** In the kitty protocol: a lone Escape right before another key would mean Alt. */
const escape = "\x1b[27u";

/** Keys that open a panel or a list, and the key that closes it. */
const keys: Record<string, [bytes: string, shows: RegExp, closes: string]> = {
  "Ctrl-P": ["\x10", /\/model/, escape],
  "Alt-X": ["\x1bx", /\/model/, escape],
  "Ctrl-S": ["\x13", /── Compact/, escape],
  "Ctrl-T": ["\x14", /── Context/, escape],
  "Ctrl-O": ["\x0f", /Enter open/, escape],
  "Alt-O": ["\x1bo", /[▾]/, "\x1bo"],
  F10: ["\x1b[21~", /[▾]/, "\x1b[21~"],
  "Ctrl-F": ["\x06", /Enter done/, escape],
  "Alt-S": ["\x1bs", /Enter done/, escape],
  "Ctrl-R": ["\x12", /Earlier prompts/, escape],
  "Ctrl-B": ["\x02", /── Commands in the background/, escape],
  F4: ["\x1bOS", /── Commands in the background/, escape],
  F1: ["\x1bOP", /── Help/, escape],
  "?": ["?", /── Help/, escape],
  "Ctrl-V": ["\x16", /clipboard/, ""],
  "Ctrl-G": ["\x07", idle, ""],
  "Alt-G": ["\x1bg", idle, ""],
  F9: ["\x1b[20~", /Mouse off/, ""],
  "Alt-M": ["\x1bm", /Mouse on/, ""],
  "Ctrl-L": ["\x0c", idle, ""],
  "Shift-Tab": ["\x1b[Z", /edits without asking/, "\x1b[Z\x1b[Z"],
  PgUp: ["\x1b[5~", /more below/, "\x1b[F"],
  PgDn: ["\x1b[6~", idle, ""],
  F2: ["\x1bOQ", /── Lens/, escape],
  "Alt-V": ["\x1bv", /── Lens/, escape],
  "Ctrl-X": ["\x18", /── Items/, escape],
  F3: ["\x1bOR", /── Todo/, escape],
  "Alt-T": ["\x1bt", /── Todo/, escape],
  F6: ["\x1b[17~", /Copied last answer/, ""],
  "Alt-C": ["\x1bc", /Copied last answer/, ""],
  F7: ["\x1b[18~", idle, ""],
  F8: ["\x1b[19~", idle, ""],
  "Shift-Up": ["\x1b[1;2A", /more below/, "\x1b[F"],
  "Shift-Down": ["\x1b[1;2B", idle, ""],
};

/** Enter, Escape and leaving are used throughout; a shell's job control has a separate test. */
const elsewhere = /^(?:Enter|Alt-Enter|Shift-Enter|Ctrl-J|Esc|Ctrl-C|Ctrl-D|Ctrl-Z|Home|End)$/;

const named =
  /(?:Ctrl|Alt|Shift)-(?:Enter|Tab|Up|Down|[A-Z])|F\d+|Enter|Esc|PgUp|PgDn|Home|End|\?/g;

test("every key and command of the manual is walked", () => {
  const listed = readRows("command").flatMap((cell) =>
    [...cell.matchAll(/`\/([a-z-]+)/g)].map(([, name = ""]) => name),
  );
  expect(listed.length).toBeGreaterThan(30);
  const walked = new Set([...Object.keys(panels), ...Object.keys(actions), "exit"]);
  expect(listed.filter((name) => !walked.has(name))).toEqual([]);
  const pressed = readRows("key").flatMap((cell) => cell.match(named) ?? []);
  expect(pressed.length).toBeGreaterThan(20);
  expect(pressed.filter((key) => !(key in keys) && !elsewhere.test(key))).toEqual([]);
});

/** Closes what is open, and waits until it has disappeared. */
async function close(pty: MemoryTerminal, bytes: string, shown: RegExp): Promise<void> {
  if (bytes === "") return;
  await pty.type(bytes);
  await pty.waitFor((now) => !shown.test(now) && idle.test(now));
}

test("the first start, the keys and the commands", async () => {
  await Bun.write(join(on.folder, "README.md"), "# Harbour\n\nKeeps track of ships.\n");
  await Bun.write(join(on.folder, "package.json"), '{"name":"harbour","scripts":{"test":"true"}}');
  await Bun.write(join(on.folder, "src", "ship.ts"), "export const ship = 1;\n");
  const env = { EDITOR: "true", PAGER: "true" };
  const pty = await on.open({ isTrusted: false, wanted: "trust", env, rows: 32 });
  await pty.waitFor("❯ No, continue without them");
  await pty.type("y");
  await pty.waitFor((now) => idle.test(now) && now.includes("Try"));

  for (const [question, answer] of [
    ["what is this project?", /Keeps track of ships|Harbour/i],
    ["list the files", /files here/],
  ] as const) {
    await pty.send(
      `${question}`,
      (now) => idle.test(now) && answer.test(now) && now.includes(`❯ ${question}`),
    );
  }
  await pty.send(
    "!echo from the shell",
    (now) => now.includes("│ from the shell") && idle.test(now),
  );
  await pty.type("/sta");
  await pty.waitFor(/\/status +folder/);
  await pty.hit("ctrl+u", idle);
  await pty.type("@shi");
  await pty.waitFor("src/ship.ts");
  await pty.hit("ctrl+u", idle);

  for (const [bytes, shows, closes] of Object.values(keys)) {
    await pty.type(bytes);
    await pty.waitFor(shows);
    await close(pty, closes, shows);
  }
  for (const [name, shows] of Object.entries(panels)) {
    await pty.send(`/${name}`, shows);
    await close(pty, escape, shows);
  }
  for (const [name, [argument, says]] of Object.entries(actions)) {
    await pty.type(`/${name} ${argument}`);
    await pty.waitFor(`❯ /${name}`);
    await pty.hit("enter", (now) => says.test(now) && idle.test(now));
    if (name === "search") await close(pty, escape, says);
    if (name === "vim") {
      await pty.send("/vim", "Vim keys off");
    }
  }
  await pty.type("/exit\r");
  expect(await pty.exited).toBe(0);
});

/** The lines of a topic's first shell block, without their comments. */
async function shellLines(name: string): Promise<string[]> {
  const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(await topic(name)) ?? [];
  return block
    .split("\n")
    .map((line) => line.replace(/ {2,}#.*$/, "").trim())
    .filter((line) => line !== "");
}

test("what the manual says to type in a shell works", async () => {
  await Bun.$`git init --quiet`.cwd(on.folder);
  // What a shell gives the program: its arguments, then its input.
  const given = `#!/bin/sh\nprintf '%s\\0' "$@"; printf '\\001'; cat\n`;
  await writeFile(join(on.root, "bin/mini-claude"), given, { mode: 0o755 });
  const run = async (line: string): Promise<string> => {
    const [words = "", stdin = ""] = (
      await Bun.$`sh -c ${line} < /dev/null`.cwd(on.folder).env(on.env).text()
    ).split("\u0001");
    const place = { env: on.env, project: on.folder };
    const { code, out, err } = await runInProcess(place, words.split("\0").slice(0, -1), { stdin });
    expect([line, code, err.slice(-300)]).toEqual([line, 0, err.slice(-300)]);
    return out;
  };
  for (const line of await shellLines("headless")) expect(await run(line)).not.toBe("");
  const name = /^\S+/.exec(await run("mini-claude sessions list"))?.[0] ?? "";
  for (const line of await shellLines("sessions")) {
    // Importing, and answering a session that waits, have separate tests.
    if (/^mini-claude (?:import|sessions answer)/.test(line)) continue;
    const isScreen = /--(?:continue|resume)/.test(line);
    await run(line.replace("20261120-2230", name) + (isScreen ? ' -p "hello"' : ""));
  }
  // To connect to these servers takes a network.
  for (const line of await shellLines("mcp"))
    if (!line.includes("mcp list")) expect(await run(line)).toContain("Added ");
});
