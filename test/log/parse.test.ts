import { expect, test } from "bun:test";
import fc from "../properties.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { formatEntry, parseLine } from "../../src/log/parse.ts";
import { anyFact, userFact } from "./facts.ts";

const place = { id: "e1", parent: null, at: "2026-01-01T00:00:00.000Z" };

test("every fact is preserved byte for byte, including unknown fields and the order of keys", () => {
  fc.assert(
    fc.property(anyFact, (fact) => {
      const line = formatEntry({ ...place, ...fact });
      const { entry, problem } = parseLine(line);
      expect(problem).toBeUndefined();
      expect(entry && formatEntry(entry)).toBe(line);
    }),
    { numRuns: 300 },
  );
});

test("an entry of an unknown type keeps all its data", () => {
  const line = `${JSON.stringify({ ...place, type: "hologram", depth: { b: 1, a: [2] } })}\n`;
  const { entry, problem } = parseLine(line);
  expect(problem).toBeUndefined();
  expect(entry?.type).toBe("unknown");
  expect(entry && formatEntry(entry)).toBe(line);
});

test("a damaged entry keeps its position and says what is wrong", () => {
  const line = JSON.stringify({ ...place, type: "user", content: [{ type: "text", text: 7 }] });
  const { entry, problem } = parseLine(line);
  expect(entry).toMatchObject({ id: "e1", type: "unknown" });
  expect(problem).toContain("damaged user entry (content.0.text:");
});

test.each([
  "",
  "nonsense",
  "[]",
  "null",
  "7",
  '{"id":"e1"}',
  '{"id":"","parent":null,"at":"","type":"user"}',
])("%p is not an entry, and the reason is given", (line) => {
  const parsed = parseLine(line);
  expect(parsed.entry).toBeNull();
  expect(parsed.problem).toMatch(/^is not /);
});

test("inherited property names are ordinary keys", () => {
  const line =
    '{"id":"e1","parent":null,"at":"","type":"user","content":[{"type":"text","text":"x","__proto__":{"a":1}}],"constructor":1}\n';
  const entry: Entry | null = parseLine(line).entry;
  expect(entry && formatEntry(entry)).toBe(line);
  expect(parseLine(JSON.stringify({ ...place, type: "toString" })).entry?.type).toBe("unknown");
  expect(parseLine(formatEntry({ ...place, ...userFact("x") })).entry?.type).toBe("user");
});
