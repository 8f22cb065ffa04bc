/** What the panels of the screen show of a session: its tokens by tool and file, its bill, what nothing uses. */

import { describe, expect, test } from "bun:test";
import { freeCut, sessionWith } from "../../facts.ts";
import { noUsage } from "../../../src/protocol/model.ts";
import type { ToolInput } from "../../../src/protocol/block.ts";
import { mcpWith } from "../../ui/quiet-services.ts";
import { type Panel, stage } from "../../ui/stage.ts";
import { begin, Builder, call, noPrice, rules, say } from "../build.ts";
import { prose, reads } from "../sessions.ts";
import { exploring } from "./exploring.ts";
import { stamp, told } from "../summary/say.ts";

/** A panel's lines; numbers are those of the meter. */
async function shown(
  session: Builder,
  panel: Panel,
  {
    prices = rules.prices,
    ...services
  }: Partial<Parameters<typeof stage>[1]> & { prices?: typeof rules.prices } = {},
): Promise<string> {
  const one = stage(session, {
    ...services,
    panel,
    rows: 99,
    columns: 99,
    rules: { ...rules, prices },
  });
  await one.settle();
  return one.frame();
}

describe("the map", () => {
  const map = (session: Builder) => shown(session, { kind: "map" });
  const under = (frame: string, heading: string): string[] =>
    (frame.split(`${heading}\n`)[1] ?? "").split("\n\n")[0]?.split("\n") ?? [];

  test("adds results up by tool and by file; files share a result", async () => {
    const frame = await map(exploring());
    expect(under(frame, "By tool")).toEqual(["    3.2k    2×  Read", "     329    1×  Bash"]);
    expect(under(frame, "By file").slice(0, 2)).toEqual([
      "    2.9k    2×  a.ts",
      "     326    1×  b.ts",
    ]);
  });

  test("counts a removed result as its placeholder, and a file once, however its path was written", async () => {
    const session = new Builder();
    session.answer([call("a"), call("b", "Read", { path: "a.ts" })]);
    const { id } = session.result("a", prose(9_000));
    session.result("b", "the text");
    session.cut([{ kind: "replace", entry: id, text: "[gone]" }]);
    expect(under(await map(session), "By file")[0]).toMatch(/^ {6}\d\d {4}2× {2}a\.ts$/);
    session.cover("e2", "e4");
    expect(under(await map(session), "By tool")[0]).toBe("  nothing yet");
  });

  test("adds definitions up by server, with what was loaded since and is still in view", async () => {
    const session = new Builder({ tools: ["Read", "mcp__docs__find", "mcp__docs__open"] });
    session.add(told("reminder", "news", prose(900)));
    session.add(told("reminder", "more", "Hi."));
    const load = (...names: string[]) => ({
      loads: sessionWith(...names).tools.map((tool) => ({ ...tool, description: prose(2_000) })),
    });
    session.step("s", "Loaded.", load("mcp__big__do", "Read"));
    const { id } = session.step("t", "Loaded.", load("mcp__gone__do"));
    session.cut([{ kind: "replace", entry: id, text: "[gone]" }]);
    const frame = await map(session);
    expect(under(frame, "Tool definitions")).toEqual([
      expect.stringMatching(/^ +\d{3} +1× {2}MCP server big$/),
      expect.stringMatching(/^ +\d\d +2× {2}MCP server docs$/),
      expect.stringMatching(/^ +\d\d +1× {2}built-in tools$/),
    ]);
    const kinds = under(frame, "Instructions, notes, skills and hooks");
    expect(kinds.map((line) => line.trim().split("×  ")[1])).toEqual(["news", "more"]);
  });
});

test("a server costs what its definitions and results take, at each call", async () => {
  const session = new Builder({ tools: ["Read", "mcp__docs__find", "mcp__docs_2__find"] });
  session.step("a", prose(9_000), { tool: "mcp__docs__find" });
  session.step("b", prose(9_000));
  const tools = [{ name: "find", description: "" }];
  const mcp = mcpWith(["docs", "other"].map((name) => ({ name, tools })));
  const frame = await shown(session, { kind: "mcp" }, { services: { mcp } });
  expect(frame).toMatch(
    /docs +connected +1 tool, 1 sent: \d\d tokens \+ 2\.\dk of results, 0\.0(?:4|5)\d* ¢ a call/,
  );
  expect(frame).toMatch(/other +connected +1 tool, 0 sent$/m);
});

describe("the cost panel", () => {
  const cost = (session: Builder, prices = rules.prices) =>
    shown(session, { kind: "cost" }, { prices });

  test("lists every call and summary at the prices of its model, and adds up", async () => {
    const session = exploring();
    const price = { ...noPrice, usedBefore: 9_000, usedAfter: 1_000, cachedBroken: 500 };
    const usage = { input: 0, cacheRead: 9_000, cacheWrite: 0, output: 400 };
    const report = { by: "model", usage, turns: 2 } as const;
    session.add(freeCut({ price, summary: { ...report, instructionsPutBack: [], losses: [] } }));
    const spent = { model: "small", usage: { ...usage, input: 40_000 }, usd: 0.05 };
    session.attempt({ spent });
    session.add({ type: "model", model: "m2", pricesBefore: { ...rules.prices, input: 200 } });
    session.add({ type: "refresh", sentAt: "", usage: { ...noUsage, input: 1_000 } });
    const frame = await cost(session);
    expect(frame).toContain("Cost: $0.07 in 7 calls");
    expect(frame).not.toContain("of it for subagents");
    expect(frame).toContain("1 compaction freed 8.0k tokens; 500 had to be cached again.");
    const calls = frame.split("cost  call\n")[1]?.split("\n").slice(0, 4);
    expect(calls?.map((line) => line.trim().split(/ {2,}/))).toEqual([
      ["1.0k", "0 %", "0", "$0.0020", "cache refresh, m2"],
      ["49.0k", "18 %", "400", "$0.05", "unused summary, small"],
      ["9.0k", "100 %", "400", "$0.0058", "summary, m1"],
      ["4.3k", "90 %", "6", "$0.0025", "m1"],
    ]);
    const parts =
      /uncached +\S+ +\$(\S+)\ncache written +\S+ +\$(\S+)\ncache read +\S+ +\$(\S+)\nanswers +\S+ +\$(\S+)/;
    const sum = (parts.exec(frame) ?? []).slice(1).reduce((all, part) => all + Number(part), 0);
    expect(sum).toBeWithin(0.06, 0.08);
  });

  test("of a free model is nothing, in no part of what another one cost", async () => {
    const session = exploring();
    const spent = { model: "small", usage: { ...noUsage, input: 40_000 }, usd: 0.05 };
    session.attempt({ spent });
    const free = { ...noUsage, cacheWrite5m: 0, cacheWrite1h: 0 };
    const frame = await cost(session, free);
    expect(frame).toContain("Cost: $0.05 in 5 calls");
    expect(frame).not.toContain("NaN");
  });

  test("a prompt beyond the first price tier pays the second", async () => {
    const beyond = {
      ...rules.prices,
      promptTokens: 100,
      input: 4,
      output: 20,
      cacheRead: 0.4,
      cacheWrite5m: 5,
    };
    const usd = async (prices: typeof rules.prices) =>
      /cache read +\S+ +\$(\S+)/.exec(await cost(exploring(), prices))?.[1];
    expect([await usd(rules.prices), await usd({ ...rules.prices, beyond })]).toEqual([
      "0.0022",
      "0.0044",
    ]);
  });

  test("adds up subagents, servers and skills, the dearest first", async () => {
    const session = new Builder();
    const use = (id: string, tool: string, chars: number, input: ToolInput = {}, more = {}) =>
      session.step(id, "x".repeat(chars), { tool, input, ...more });
    const run = { session: "s", type: "Explore", calls: 3, model: "m", usage: noUsage };
    use("r", "ReadMcpResource", 28, { server: "small", uri: "x:y" });
    use("a", "mcp__docs__search", 2_800_000);
    use("b", "Skill", 280, { skill: "/deploy" });
    use("c", "Agent", 28, {}, { subagent: { ...run, usd: 0.5 } });
    const content = [say("x".repeat(28))];
    const later = { ...run, usd: 0.25 };
    session.add({ type: "context", kind: "reminder", title: "t", content, subagent: later });
    session.answer([call("d", "mcp__small__x", {})]);
    const result = { tool: "mcp__small__x", content: [say("x".repeat(28))], bytes: 28, lines: 1 };
    const spent = { model: "m", usage: noUsage, usd: 0.2 };
    session.add({ type: "result", toolUse: "d", ...result, spent });
    session.answer([say("Done.")]);
    // No call has read this one yet.
    use("e", "mcp__late__x", 28);
    session.path.pop();
    const frame = await cost(session);
    expect(frame).toContain("$0.95 of it for subagents");
    const sources = [...frame.matchAll(/^(?:subagent|server|skill) .*/gm)].map(([line]) =>
      line.split(/ {2,}/),
    );
    expect(sources).toEqual([
      ["subagent Explore", "2 calls", "20", "$0.75"],
      ["server docs", "1 call", "1.00M", "~$3.30"],
      ["server small", "2 calls", "20", "~$0.20"],
      ["skill deploy", "1 call", "100", "~$0.0003"],
    ]);
  });
});

test("a summary that is ready says what another model was paid for it", async () => {
  const one = reads(20, 6_000);
  const spent = { model: "small", usage: noUsage, usd: 0.75 };
  one.attempt({ draft: { span: { from: "e2", to: "e43" }, text: "Sum." }, spent });
  expect(await shown(one, { kind: "compact" })).toContain("the summary is ready ($0.75 paid)");
});

describe("a result is unused", () => {
  /** A result of some length, and calls after it that repeat nothing. */
  function session(words: string, ...said: string[]): Builder {
    const one = begin();
    one.step("a", `${words} `.padEnd(1_000, " ok"), {
      stamps: [stamp("/w/a.ts", "read")],
    });
    for (const text of said) later(one, 1, text);
    return one;
  }
  function later(one: Builder, calls: number, text = "Nothing of it."): Builder {
    for (let n = 0; n < calls; n++) {
      one.answer([say(text)]);
      one.user("Go on.");
    }
    return one;
  }
  /** Results that one key drops, as unused. */
  async function unused(one: Builder): Promise<string[]> {
    const { press, sent, message, frame } = stage(one, { panel: { kind: "items" } });
    const isListed = / \d unused: /.test(frame());
    await press("D");
    expect(isListed).toBe(sent.length > 0);
    if (sent.length === 0) expect(message()).toContain("Nothing is unused for 10 calls or more.");
    return sent.flatMap((command) =>
      command.type === "cut"
        ? command.changes.map((change) => ("entry" in change ? change.entry : ""))
        : [],
    );
  }
  const word = "export const parseHeader = 1;";

  test("ten calls later, if none repeated a word of it", async () => {
    expect(await unused(later(session(word), 9))).toEqual([]);
    expect(await unused(later(session(word), 10))).toEqual(["e4"]);
    expect(await unused(later(session(word, "I rename parseHeader."), 10))).toEqual([]);
  });

  test("unless its file was read again, or a call names what it shows", async () => {
    const again = session(word);
    const input = { file_path: "/w/a.ts" };
    again.step("b", "parseHeader again".padEnd(1_000, " ok"), { input });
    expect(await unused(later(again, 10))).toEqual(["e6"]);
    const named = session(word);
    named.step("b", "short", { tool: "Bash", input: { command: "grep\\nparseHeader" } });
    expect(await unused(later(named, 10))).toEqual([]);
  });

  test("if a newer one holds the word that was repeated", async () => {
    const one = session(word);
    one.step("b", word.padEnd(1_000, " ok"));
    expect(await unused(later(later(one, 1, "See parseHeader."), 10))).toEqual(["e4"]);
  });

  test("unless it is pinned, dropped already, or no larger than its placeholder", async () => {
    const pinned = later(session(word), 10);
    pinned.add({ type: "pin", entry: "e4", on: true });
    const dropped = later(session(word), 10);
    dropped.cut([{ kind: "replace", entry: "e4", text: "[cut]".padEnd(600, " ok") }]);
    const short = begin();
    short.step("a", "x".repeat(30));
    for (const one of [pinned, dropped, later(short, 10)]) expect(await unused(one)).toEqual([]);
    const { press, sent } = stage(dropped, { panel: { kind: "items" } });
    await press("/", "#e4", "<enter>", "d");
    expect(sent).toEqual([]);
  });
});
