/** Laws of the books: characters, tokens, cached prefixes and prices are those of what is sent. */

import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { priceChanges } from "../../src/context/meter/cache.ts";
import { buildRequest } from "../../src/context/request.ts";
import { Projection } from "../../src/context/view/view.ts";
import type { Row, View } from "./types.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import type { Message } from "../../src/protocol/model.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { Cache } from "./api-rules.ts";
import { rules } from "./build.ts";
import { read, readSignals } from "./compact.ts";
import { changeFor, paths, play, share, steps, take, type Step } from "./sessions.ts";

const runs = { numRuns: 60 };
type Made<A> = A extends fc.Arbitrary<infer T> ? T : never;
const wide = { ...rules, windowTokens: 10_000_000 };
const exact = { ...wide, cacheMinimumTokens: 0 };

/** Characters of messages; of an image without a size 1,600 tokens. */
function charsOf(messages: readonly Message[]) {
  const chars = { thinking: 0, toolInputs: 0, texts: 0, imageTokens: 0 };
  const add = (block: Message["content"][number]): void => {
    if (block.type === "text") chars.texts += block.text.length;
    else if (block.type === "thinking") chars.thinking += block.thinking.length;
    else if (block.type === "image") chars.imageTokens += 1_600;
    else if (block.type === "tool_use")
      chars.toolInputs += 40 + block.name.length + JSON.stringify(block.input).length;
    else if (block.type === "tool_result") {
      const [first] = block.content;
      // Stands for the result of a call that has none.
      if (first?.type === "text" && first.text.startsWith("Interrupted before")) return;
      chars.texts += 30;
      block.content.forEach(add);
    }
  };
  for (const { content } of messages) content.forEach(add);
  return chars;
}

function sumOf(rows: readonly Row[]) {
  const chars = { thinking: 0, toolInputs: 0, texts: 0, imageTokens: 0 };
  for (const { charsByKind } of rows) {
    const { thinking, toolInputs, imageTokens, ...texts } = charsByKind;
    chars.thinking += thinking;
    chars.toolInputs += toolInputs;
    chars.imageTokens += imageTokens;
    for (const count of Object.values(texts)) chars.texts += count;
  }
  return chars;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Some servers report no output, or count three times as much as others. */
const asReported = (entry: Entry, index: number): Entry => {
  if (entry.type !== "assistant" || index % 4 !== 1) return entry;
  const { usage } = entry;
  return index % 8 === 1
    ? { ...entry, usage: { ...usage, output: 0 } }
    : { ...entry, usage: { ...usage, input: 3 * usage.cacheRead } };
};

test("the rows have the characters that are sent, and what calls counted is divided among them", () => {
  fc.assert(
    fc.property(paths(), (path) => {
      const projection = new Projection();
      const { view } = projection;
      for (const [index, entry] of path.map(asReported).entries()) {
        projection.push(entry);
        const { tokenCounts, rows } = view;
        expect(sumOf(rows)).toEqual(charsOf(view.messages));
        const tokens = rows.map((_, row) => tokenCounts.countedTokens(row));
        const { system, tools } = tokenCounts.counted;
        const counted = sum(Object.values(tokenCounts.counted));
        expect(counted).toBeCloseTo(system + tools + sum(tokens.map((count) => count ?? 0)), 3);
        const { system: _, tools: __, ...uncounted } = tokenCounts.uncounted;
        for (const [kind, chars] of Object.entries(uncounted)) {
          const open = rows.filter((_, row) => tokens[row] === null);
          expect(chars).toBe(sum(open.map(({ charsByKind }) => charsByKind[kind as "user"])));
        }
        for (const [row, { shown, chars, wholeCharsByKind, entry, pinned }] of rows.entries()) {
          const count = tokens[row] ?? null;
          if (count === null) continue;
          expect(count > 0).toBe(chars > 0);
          const isAsSaid = entry === view.path[row] && !view.isRestored(entry.id) && !pinned;
          if (shown === "whole" && wholeCharsByKind.thinking === 0 && isAsSaid)
            expect(tokenCounts.countedWholeTokens(row)).toBeCloseTo(count, 3);
        }
        if (entry.type !== "assistant" || view.anchor?.row !== index) continue;
        expect(tokens.slice(0, index)).not.toContain(null);
        expect(tokenCounts.editedTokens).toBe(0);
        expect(view.anchor.countedTokens).toBeGreaterThan(view.anchor.usedTokens - 0.01);
      }
    }),
    runs,
  );
});

/** A session, and a cut of something in it. */
const aCut = fc.record({
  script: steps({ most: 25 }),
  does: fc.constantFrom("replace" as const, "input" as const, "cover" as const),
  at: share,
  to: share,
});

function playCut({ script, does, at, to }: Made<typeof aCut>) {
  const session = play(script);
  return { session, change: changeFor(session.path, { do: does, at, from: at, to }) };
}

test("a cut that is undone at once leaves every row as it was, but for thinking", () => {
  fc.assert(
    fc.property(aCut, (made) => {
      const { session, change } = playCut(made);
      if (!change) return;
      const before = said(session.view);
      const cut = session.cut([change]);
      const isCut = session.view.cuts.includes(cut as (typeof session.view.cuts)[number]);
      session.restore(cut.id);
      expect(said(session.view).slice(0, before.length)).toEqual(before);
      expect(session.view.cuts.map(({ id }) => id)).not.toContain(cut.id);
      if (change.kind !== "cover") expect(session.view.isRestored(change.entry)).toBe(isCut);
    }),
    runs,
  );
});

/** How each row is shown. */
const said = ({ rows, tokenCounts, covers }: View) =>
  rows.map((row, index) => {
    const { entry, shown, by, text, inputs, pinned, charsByKind, wholeChars } = row;
    const { thinking: _, ...chars } = charsByKind;
    const whole = tokenCounts.countedWholeTokens(index);
    const isCounted = Math.abs((tokenCounts.countedTokens(index) ?? 0) - (whole ?? 0)) < 0.001;
    const isWhole = shown === "whole" && isCounted && row.wholeCharsByKind.thinking === 0;
    const cover = covers.find(({ from, to }) => from <= index && index <= to)?.cut.id;
    const shorter = [...(inputs ?? [])];
    return { entry, shown, by, text, pinned, wholeChars, chars, shorter, cover, isWhole, whole };
  });

test("the next call reads no less than what the meter calls cached, and no more where nothing is undone", () => {
  let [calls, less, more] = [0, 0, 0];
  fc.assert(
    fc.property(steps({ most: 40 }), fc.boolean(), (script, returns) => {
      const session = play([]);
      const cache = new Cache();
      const answer = session.answer.bind(session);
      session.answer = (content, given) => {
        if (given?.stop === "failed") return answer(content, given);
        const { state, tokens } = read(session, exact, defaultPolicy).cache;
        const { read: cacheRead, sent } = cache.take(
          buildRequest(session.view, wide, defaultPolicy),
        );
        if (state === "hot") {
          calls++;
          const slack = 50 + sent / 50;
          if (cacheRead < tokens - slack) less++;
          if (!returns && cacheRead > tokens + slack) more++;
        }
        const usage = { input: 0, cacheRead, cacheWrite: sent - cacheRead, output: 9 };
        return answer(content, { ...given, usage });
      };
      // The meter takes an image for larger than the fake does, and an empty message for a change.
      const words: Step[] = JSON.parse(
        JSON.stringify(script)
          .replaceAll('"image":true', '"image":false')
          .replaceAll('"chars":0', '"chars":1'),
      );
      for (const [index, step] of words.entries()) {
        // The server still caches what was sent before an edit that is undone, or a rewind.
        const isBack = /^(restore|rewind|model)$/.test(step.do);
        if (step.do !== "unsent" && (returns || !isBack)) take(session, step, index);
      }
    }),
    { numRuns: 120 },
  );
  expect(calls).toBeGreaterThan(300);
  // A mark is at the end of a message; a cut may leave only its beginning.
  expect((less + more) / calls).toBeLessThan(0.01);
});

test("a cut leaves what its price promises, and breaks as much of the cache", () => {
  let broken = 0;
  fc.assert(
    fc.property(aCut, (cut) => {
      // The quote of what is pinned takes a few tokens more than its text.
      const script = cut.script.filter((step) => step.do !== "pin");
      const { session, change } = playCut({ ...cut, script });
      if (!change) return;
      const now = readSignals(session, exact, defaultPolicy);
      const { cacheWrite5m, cacheRead } = rules.prices;
      const price = priceChanges(now, [change]);
      session.cut([change]);
      if (session.view.rejected.length > 0) return;
      const after = read(session, exact, defaultPolicy);
      const { tokens } = now.reading.cache;
      if (price.cachedBroken > 0) broken++;
      const slack = 30 + after.usedTokens / 150;
      expect(Math.abs(price.usedAfter - after.usedTokens)).toBeLessThan(slack);
      expect(Math.abs(price.cachedBroken - (tokens - after.cache.tokens))).toBeLessThan(slack);
      const again = Math.min(price.cachedBroken, price.usedAfter - after.cache.tokens);
      const usd = (Math.max(0, again) * (cacheWrite5m - cacheRead)) / 1e6;
      expect(Math.abs(price.usd - usd)).toBeLessThan(1e-5);
    }),
    { numRuns: 150 },
  );
  expect(broken).toBeGreaterThan(20);
});
