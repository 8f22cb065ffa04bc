/** Whatever a file holds: nothing throws, and the result can be sent. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { call, ClaudeSession, shop, text } from "./claude-lines.ts";
import { CodexSession } from "./codex-lines.ts";
import { readEntries, inShort, imported, findPath, sent } from "./read.ts";

function claude(): string[] {
  const session = shop();
  session.compact({ trigger: "auto", preTokens: 9, preservedSegment: { headUuid: "u5" } });
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

const odd = [
  null,
  -1,
  "",
  "../../etc",
  "__proto__",
  "u1",
  "\ud800",
  "\u001b]0;x\u0007",
  [null],
  {},
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

/** Lines of a session, some missing or in another order, with values replaced and bytes in between. */
const files = fc
  .constantFrom(...sources)
  .chain((source) =>
    fc.tuple(
      fc.oneof(fc.constant(source), fc.shuffledSubarray(source, { minLength: 1 })),
      fc.array(fc.tuple(fc.nat(), fc.nat(), fc.constantFrom(...odd)), { maxLength: 6 }),
      fc.oneof(fc.constant(Buffer.of()), fc.uint8Array({ maxLength: 400 }), fc.json()),
      fc.nat(),
    ),
  )
  .map(([lines, spoils, bytes, at]) => {
    const spoilt = [...lines];
    for (const [line, way, other] of spoils) {
      const index = line % spoilt.length;
      spoilt[index] = JSON.stringify(spoil(JSON.parse(spoilt[index] ?? ""), way, other));
    }
    const whole = Buffer.from(`${spoilt.join("\n")}\n`);
    const place = at % (whole.length + 1);
    return Buffer.concat([whole.subarray(0, place), Buffer.from(bytes), whole.subarray(place)]);
  });

test("whatever a file holds, its session can be sent", () => {
  let found = 0;
  fc.assert(
    fc.property(files, (bytes) => {
      const entries = readEntries(bytes);
      if (!entries) return;
      found++;
      sent(entries);
    }),
    { numRuns: 200 },
  );
  expect(found).toBeGreaterThan(100);
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
