/** Whatever a file holds: nothing throws, and the result can be sent. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { call, ClaudeSession, shop, text } from "./claude-lines.ts";
import { CodexSession } from "./codex-lines.ts";
import { readEntries, inShort, imported, findPath, sent } from "./read.ts";

function claude(): string[] {
  const session = shop();
  session.add("system", {
    subtype: "compact_boundary",
    parentUuid: null,
    logicalParentUuid: session.last,
    compactMetadata: { trigger: "auto", preTokens: 9, preservedSegment: { headUuid: "u5" } },
  });
  session.user("SUMMARY", { isCompactSummary: true });
  session.answer("m9", [text("on"), call("t9", "Edit", { file_path: "a", __proto__: 1 })]);
  session.result("t9", [{ type: "image", source: { type: "base64", data: "iVBORw0KGgo=" } }]);
  session.user("side", { isSidechain: true });
  session.user("other way", { parentUuid: "u2" });
  session.beside({ type: "custom-title", customTitle: "title" });
  return session.lines.map((line) => JSON.stringify(line));
}

function codex(): string[] {
  const session = new CodexSession();
  session.user("hello");
  session.reasoning("hm");
  session.call("a", "shell", { command: "ls" });
  session.call("b", "shell", "[1]");
  session.output("b", "two");
  session.output("a", [{ type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" }]);
  session.tokens(5, 3, 1);
  session.answer("done");
  session.add("compacted", { message: "SUM" });
  session.user("more");
  session.answer("end");
  return session.lines.map((line) => JSON.stringify(line));
}

const sources = [claude(), codex()];

const odd: unknown[] = [
  null,
  -1,
  1e308,
  "",
  " ",
  "../../etc/passwd",
  "__proto__",
  "u1",
  "p2",
  "\ud800",
  "\u001b]0;evil\u0007",
  [],
  [[]],
  [null],
  {},
  { type: "text" },
  true,
];

/** Replaces one nested value by something else. */
function spoil(value: unknown, way: number, other: unknown): unknown {
  if (typeof value !== "object" || value === null) return other;
  const pairs = Object.entries(value);
  const at = pairs.length === 0 ? 0 : way % pairs.length;
  if (pairs.length === 0 || way % 7 === 0) return other;
  const spoilt = pairs.map(([key, one], index): [string, unknown] =>
    index === at ? [key, spoil(one, Math.floor(way / pairs.length), other)] : [key, one],
  );
  return Array.isArray(value) ? spoilt.map(([, one]) => one) : Object.fromEntries(spoilt);
}

const damage = fc.oneof(
  fc.record({ kind: fc.constant("drop" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("twice" as const), at: fc.nat(), to: fc.nat() }),
  fc.record({ kind: fc.constant("move" as const), at: fc.nat(), to: fc.nat() }),
  fc.record({ kind: fc.constant("cut" as const), at: fc.nat(), to: fc.nat() }),
  fc.record({
    kind: fc.constant("garbage" as const),
    at: fc.nat(),
    line: fc.oneof(fc.json(), fc.string(), fc.constant('{"type":"user"}')),
  }),
  fc.record({
    kind: fc.constant("spoil" as const),
    at: fc.nat(),
    way: fc.nat(),
    other: fc.constantFrom(...odd),
  }),
);

type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function harm(lines: readonly string[], one: Damage): string[] {
  const at = lines.length === 0 ? 0 : one.at % lines.length;
  const line = lines[at] ?? "";
  const without = lines.toSpliced(at, 1);
  switch (one.kind) {
    case "drop":
      return without;
    case "twice":
      return lines.toSpliced(one.to % (lines.length + 1), 0, line);
    case "move":
      return without.toSpliced(one.to % (without.length + 1), 0, line);
    case "cut":
      return lines.with(at, line.slice(0, one.to % (line.length + 1)));
    case "garbage":
      return lines.toSpliced(at, 0, one.line.replaceAll("\n", " "));
    case "spoil":
      try {
        return lines.with(at, JSON.stringify(spoil(JSON.parse(line), one.way, one.other)) ?? "");
      } catch {
        return without;
      }
  }
}

test("a damaged session gives a valid path", () => {
  let found = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...sources),
      fc.array(damage, { maxLength: 12 }),
      fc.nat(),
      (source, damages, end) => {
        const lines = damages.reduce(harm, [...source]);
        const whole = `${lines.join("\n")}\n`;
        const entries = readEntries(
          damages.length % 2 === 0 ? whole : whole.slice(0, end % whole.length),
        );
        if (!entries) return;
        found++;
        sent(entries);
      },
    ),
    { numRuns: 120 },
  );
  expect(found).toBeGreaterThan(60);
});

test("any order of the lines gives a valid path", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...sources).chain((source) => fc.shuffledSubarray(source, { minLength: 1 })),
      (lines) => {
        const entries = readEntries(lines.join("\n"));
        if (entries) sent(entries);
      },
    ),
    { numRuns: 70 },
  );
});

test("any bytes give a valid session or none", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(sources.length - 1), (bytes, which) => {
      const before = Buffer.from(`${(sources[which] ?? []).join("\n")}\n`);
      const entries = readEntries(Buffer.concat([before, bytes]));
      expect(entries).not.toBeNull();
      if (entries) sent(entries);
      readEntries(bytes);
    }),
    { numRuns: 60 },
  );
});

test("survives deep nesting and hostile names", () => {
  const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
  const session = new ClaudeSession();
  session.user("go");
  session.answer("m1", [call("t1", "Write", { file_path: "DEEP" })]);
  const lines = session.text.replace('"DEEP"', deep);
  expect(inShort(findPath(imported(lines)))).toContain("user: go");
  const nested = `${'{"a":'.repeat(90)}1${"}".repeat(90)}`;
  expect(JSON.stringify(sent(imported(session.text.replace('"DEEP"', nested))))).toContain("Write");

  session.user([JSON.parse('{"type":"text","text":"ok","__proto__":{"polluted":1}}')]);
  session.answer("m2", [call("__proto__", "constructor", JSON.parse('{"__proto__":{"x":1}}'))]);
  const entries = imported(session.text);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
  expect(JSON.stringify(sent(entries))).toContain('"__proto__":{"x":1}');
});
