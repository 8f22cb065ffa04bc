/**
 * The cost of one more entry, and what it leaves unchanged: measured by reads of older entries, not
 * by time.
 */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { measure } from "../../../src/context/meter/meter.ts";
import { buildRequest } from "../../../src/context/request.ts";
import { Projection } from "../../../src/context/view/view.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { Builder, call, rules, say } from "../build.ts";
import { paths } from "../sessions.ts";

const wide = { ...rules, windowTokens: 1_000_000_000 };

/** A session's entries, repeated; each calls `look` when it is read. */
function longPath(rows: number, look: () => void): Entry[] {
  const short = new Builder();
  short.user("Go on.");
  short.answer([say("I read."), call("c")]);
  short.result("c", "Some lines.");
  short.answer([say("Done.")]);
  const [first, ...turn] = short.path;
  const path = first ? [first] : [];
  while (path.length < rows)
    for (const entry of turn) path.push({ ...entry, id: `e${path.length + 1}` });
  return path.map(
    (entry) => new Proxy(entry, { get: (of, key) => (look(), Reflect.get(of, key)) }),
  );
}

test("an entry after 10,000 others is followed, measured and read without visiting them", () => {
  let looks = 0;
  const costAt = (rows: number): number => {
    const projection = new Projection(longPath(rows, () => looks++));
    void projection.view.messages;
    looks = 0;
    const more = new Builder();
    more.user("And more.");
    more.answer([call("z")]);
    more.result("z", "More lines.");
    for (const [index, entry] of more.path.slice(1).entries()) {
      projection.push({ ...entry, id: `z${index}` });
      measure(projection.view, wide, defaultPolicy, more.nowMs);
      void projection.view.messages;
    }
    return looks;
  };
  const few = costAt(100);
  expect(few).toBeLessThan(50);
  expect(costAt(10_000)).toBeLessThanOrEqual(few + 10);
});

test("earlier readings and requests never change later", () => {
  fc.assert(
    fc.property(paths(), (path) => {
      const projection = new Projection();
      const kept: { value: unknown; json: string }[] = [];
      const keep = (value: unknown) => kept.push({ value, json: JSON.stringify(value) });
      for (const [index, entry] of path.entries()) {
        if (index % 4 === 0) keep(projection.view.messages);
        if (entry.type === "assistant" && index % 3 === 0) {
          const request = buildRequest(projection.view, wide, defaultPolicy);
          keep(request);
        }
        projection.push(entry);
      }
      for (const { value, json } of kept) expect(JSON.stringify(value)).toBe(json);
    }),
    { numRuns: 60 },
  );
});
