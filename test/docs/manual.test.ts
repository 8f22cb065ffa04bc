/** Everything that the manual and the README tell people to type exists. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { parseFlags } from "../../src/config/flags.ts";
import { pathsFor } from "../../src/config/paths.ts";
import { allSettings, loadSettings } from "../../src/config/settings.ts";
import { maxUserTokens } from "../../src/context/summary/compose.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { hookEvents } from "../../src/extensions/hooks/registry.ts";
import { Builder } from "../context/build.ts";
import { folders, openServices } from "../app/services/open.ts";
import { shownKeys } from "../config/shown-keys.ts";
import { readPage, topics } from "./pages.ts";
import { stage } from "../ui/stage.ts";
import { sandbox } from "../bin.ts";
import { inProcess } from "../in-process.ts";

const box = inProcess(await sandbox("manual"));
afterAll(box.remove);

const { out: helpText } = await box.run(["--help"]);
const readme = await Bun.file(join(import.meta.dir, "../../README.md")).text();
const pages = [...topics, { name: "README", text: readme }];

/** What the pattern's first group finds in each page, with the page. */
const found = (pattern: RegExp, only = pages): { page: string; word: string }[] =>
  only.flatMap(({ name, text }) =>
    [...text.matchAll(pattern)].map(([, word = ""]) => ({ page: name, word })),
  );

test("slash commands exist, and every one is in the topic screen", async () => {
  const on = stage(new Builder());
  await on.press("/");
  const offered = on.controller.prompt.completion.list?.candidates ?? [];
  const { services } = await openServices({ ...folders("manual")(), args: ["--offline"] });
  const builtIn = (await services.commands?.()) ?? [];
  expect(builtIn).toContainEqual(expect.objectContaining({ name: "review" }));
  const names = [...offered, ...builtIn.map(({ name }) => name)];
  const screen = readPage("screen");
  expect(names.filter((name) => !new RegExp(`\`/${name}\\b`).test(screen))).toEqual([]);
  const aliases = ["new", "resume", "quit"];
  const examples = ["path", "proc", "srv", "fix", "mcp__", "v"];
  const known = new Set([...names, ...aliases, ...examples]);
  expect(found(/`\/([a-z][a-z_-]*)/g).filter(({ word }) => !known.has(word))).toEqual([]);
});

/** The sentence with which these flags are refused; empty: they are not. */
function refusal(...args: string[]): string {
  try {
    loadSettings({ env: {}, file: null, flags: parseFlags(args).settings });
    return "";
  } catch (error) {
    return String(error);
  }
}

/** Flags of subcommands, other programs and claude that pages name without ours. */
const otherFlags =
  /^--(?:check|help|all|days|list|remove|approve|turns|usd|allow-scripts|json|managed-settings|half|bun|receive-pack|jinja|enable-auto-tool-choice|tool-call-parser)$/;

test("the manual names only flags that exist", () => {
  const known = (flag: string): boolean =>
    helpText.includes(`${flag} `) || otherFlags.test(flag) || !refusal(flag).includes("Unknown");
  expect(found(/(?<![\w-])(--[a-zA-Z][\w-]*)/g).filter(({ word }) => !known(word))).toEqual([]);
});

test("the manual names only settings and providers that exist", () => {
  const ids = new Set(allSettings.map(({ path }) => path.join(".")));
  const named = found(/`((?:budget|summary|permissions)\.\w+)`/g);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ word }) => !ids.has(word))).toEqual([]);
  const settings = found(/[Tt]he setting `(\w+)`/g);
  const groups = new Set([...ids].map((id) => id.split(".")[0] ?? ""));
  expect(settings.filter(({ word }) => !groups.has(word))).toEqual([]);
  const providers = found(/--provider (\w+)/g);
  expect(providers.map(({ word }) => refusal("--provider", word)).filter(Boolean)).toEqual([]);
});

const plain = (text: string): string => text.toLowerCase().replaceAll("-", "+");

test("keys have an action", () => {
  const known = new Set([...shownKeys().values()].flat().map(plain));
  const chords = found(/\b((?:Ctrl|Alt|Shift)-(?:Tab|Up|Down|[A-Z])|F\d{1,2})\b/g).map(({ word }) =>
    plain(word),
  );
  // The key of a notice, and the third one of an action.
  const others = ["alt+p", "ctrl+j"];
  const unknown = new Set(chords.filter((chord) => !known.has(chord) && !others.includes(chord)));
  expect([...unknown]).toEqual([]);
});

test("every action's key is in the topic screen", () => {
  const text = plain(readPage("screen"));
  const missing = [...shownKeys()].filter(([, chords]) =>
    chords.every((chord) => !text.includes(plain(chord).replace(/^ctrl\+(?=home|end)/, ""))),
  );
  expect(missing).toEqual([]);
});

test("every hook event, every variable and every file of ours is in its topic", () => {
  const conventions = readPage("conventions");
  expect(hookEvents.filter((name) => !new RegExp(`\\b${name}\\b`).test(conventions))).toEqual([]);
  const settings = readPage("settings");
  const [, listed = ""] = /^Also read: ([^.]+)\./m.exec(settings) ?? [];
  const also = listed.match(/\w{5,}/g) ?? [];
  expect(also).toHaveLength(7);
  for (const name of also)
    expect([
      ...loadSettings({ env: { [name]: "70" }, file: null, flags: [] }).sources.values(),
    ]).toEqual([name]);
  const uninstall = readPage("uninstall");
  const files = Object.values(pathsFor({ MINI_CLAUDE_HOME: "/m" }, "/work"))
    .flat()
    .flatMap((path) => (typeof path === "string" ? (/^\/m\/([^/]+)/.exec(path)?.[1] ?? []) : []));
  expect(files.length).toBeGreaterThan(8);
  expect(files.filter((name) => !uninstall.includes(`\`${name}`))).toEqual([]);
});

test("the numbers of the tiers in the manual and the README are the defaults", () => {
  const { budgetAt, budgetTightAt, snipAt, summaryAt, persistBytes } = defaultPolicy;
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  for (const text of [readPage("context"), readme]) {
    const flat = text.replace(/\s+/g, " ");
    expect(flat).toContain(
      `trimmed at ${percent(budgetAt)}, stale ones dropped at ${percent(snipAt)}`,
    );
    expect(flat).toContain(`at ${percent(summaryAt)} the conversation is summarized`);
    expect(flat).toContain(`${persistBytes / 1024} KB`);
    expect(flat).toContain(`nothing is cut below ${percent(budgetAt)}`);
  }
  const flat = readPage("context").replace(/\s+/g, " ");
  expect(flat).toContain(`tighter above ${percent(budgetTightAt)}`);
  expect(flat).toContain(`${maxUserTokens.toLocaleString("en")} tokens at 1M`);
});

test("subcommands exist, and the second words of sessions, mcp and auth are in their help", async () => {
  const code = pages.map(({ name, text }) => ({
    name,
    text: [...text.matchAll(/`[^`\n]+`|^mini-claude .*$/gm)].join("\n"),
  }));
  const first = found(/(?:^|`|\| )mini-claude ([a-z]+)\b/gm, code);
  expect(first.length).toBeGreaterThan(15);
  const known = new Set(
    found(/^ +mini-claude ([a-z]+)\b/gm, [{ name: "help", text: helpText }]).map(
      ({ word }) => word,
    ),
  );
  expect(first.filter(({ word }) => !known.has(word))).toEqual([]);
  for (const name of ["sessions", "mcp"] as const) {
    const { out } = await box.run([name, "--help"]);
    const second = found(new RegExp(`\\b${name} ([a-z]+)\\b`, "g"), code);
    expect(second.length).toBeGreaterThan(1);
    expect(second.filter(({ word }) => !out.includes(`${name} ${word}`))).toEqual([]);
  }
});

test("help TOPIC prints a topic; an unknown one is one sentence with the nearest name and the list", async () => {
  for (const { name, text } of topics) {
    // A title, and below it a sentence that says what it is about.
    expect(text).toMatch(/^# .+\n\n[A-Z][^]{10,120}\.\n\n/);
    expect(await box.run(["help", name])).toMatchObject({ code: 0, out: text });
  }
  expect((await box.run(["help", "compaction"])).out).toBe(readPage("context"));
  const { code, err } = await box.run(["help", "contxt"]);
  expect(code).toBe(2);
  expect(err).toContain(
    "There is no topic contxt; did you mean context? The topics: start, screen,",
  );
  expect((await box.run(["help"])).out).toBe(helpText);
  for (const { name } of topics) expect(helpText).toMatch(new RegExp(`\\b${name}\\b`));
});

test("the exit codes of the manual are those of --help", () => {
  const codes = (text: string): string[] =>
    /Exit codes: ([\s\S]*?)\.\n/.exec(text)?.[1]?.match(/\d+/g) ?? [];
  expect(codes(readPage("headless"))).toEqual(codes(helpText));
});
