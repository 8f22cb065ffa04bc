import { expect, test } from "bun:test";
import {
  countedKeys,
  kinds,
  newCharsByKind,
  type CharsByKind,
} from "../../src/context/char-count.ts";
import { LedgerItems, type Portion } from "../../src/context/ledger-items.ts";
import { PackedChars } from "../../src/context/packed-chars.ts";
import fc from "../properties.ts";

/** The contents of the columns, as one object per row. */
type Item = {
  chars: CharsByKind;
  kind: Portion["kind"];
  own: boolean;
  portions: Portion[] | null;
  whole: { chars: CharsByKind; tokens: number } | null;
};

const place = fc.nat(4);
const chars = fc
  .record(Object.fromEntries(countedKeys.map((key) => [key, fc.constantFrom(0, 0, 0, 0, 7, 80)])))
  .map((some): CharsByKind => ({ ...newCharsByKind(), ...some }));
const step = fc.oneof(
  fc.record({
    do: fc.constant("set" as const),
    place,
    chars,
    kind: fc.constantFrom(...kinds),
    own: fc.boolean(),
  }),
  fc.record({ do: fc.constant("count" as const), place, perChar: fc.constantFrom(0.25, 0.5) }),
  fc.record({ do: fc.constant("forget" as const), place }),
  fc.record({ do: fc.constant("remember" as const), place, tokens: fc.nat(100) }),
  fc.record({ do: fc.constant("remove" as const), place }),
  fc.record({ do: fc.constant("scale" as const), factor: fc.constantFrom(2, 0.5) }),
);

/** One part for each kind of text; images belong to the item's own kind. */
function portionsOf({ chars: counted, kind }: Item, perChar: number): Portion[] {
  const texts = kinds.flatMap((one) =>
    counted[one] > 0 ? [{ kind: one, tokens: counted[one] * perChar }] : [],
  );
  return texts.length === 0 && counted.imageTokens > 0
    ? [{ kind, tokens: counted.imageTokens }]
    : texts;
}

const scaled = (portions: Portion[] | null, factor: number): Portion[] | null =>
  portions?.map(({ kind, tokens }) => ({ kind, tokens: tokens * factor })) ?? null;

function perform(
  items: LedgerItems,
  model: Map<number, Item>,
  now: typeof step extends fc.Arbitrary<infer T> ? T : never,
): void {
  if (now.do === "scale") {
    items.scale(now.factor);
    for (const item of model.values()) {
      item.portions = scaled(item.portions, now.factor);
      if (item.whole) item.whole = { ...item.whole, tokens: item.whole.tokens * now.factor };
    }
    return;
  }
  const item = model.get(now.place);
  if (now.do === "set") {
    items.set(now.place, now.chars, now.kind, now.own);
    // The caller that changes what an item shows recounts its tokens.
    items.setPortions(now.place, null);
    model.set(now.place, { ...now, portions: null, whole: item?.whole ?? null });
  }
  if (!item) return;
  if (now.do === "count") item.portions = portionsOf(item, now.perChar);
  if (now.do === "forget") item.portions = null;
  if (now.do === "count" || now.do === "forget") items.setPortions(now.place, item.portions);
  if (now.do === "remember") {
    items.rememberWhole(now.place, now.tokens);
    item.whole = { chars: item.chars, tokens: now.tokens };
  }
  if (now.do === "remove") {
    items.remove(now.place);
    model.delete(now.place);
  }
}

const plain = (one: CharsByKind | null) => one && countedKeys.map((key) => one[key]);

function expectSame(items: LedgerItems, model: ReadonlyMap<number, Item>): void {
  for (let at = 0; at <= 4; at++) {
    const item = model.get(at);
    expect(items.has(at)).toBe(item !== undefined);
    if (!item) continue;
    const { portions, whole } = item;
    expect([items.kindOf(at), items.isOwn(at)]).toEqual([item.kind, item.own]);
    expect(plain(items.charsOf(at))).toEqual(plain(item.chars));
    expect(items.portionsOf(at)).toEqual(portions);
    const tokens = portions && portions.reduce((sum, one) => sum + one.tokens, 0);
    expect(items.tokensOf(at)).toEqual(tokens);
    expect(plain(items.wholeOf(at))).toEqual(plain(whole && whole.chars));
    if (whole) expect(items.wholeTokensOf(at)).toBe(whole.tokens);
  }
}

test("items and their copies keep their values independently", () => {
  const steps = fc.array(step, { maxLength: 30 });
  fc.assert(
    fc.property(steps, steps, steps, (before, here, there) => {
      const items = new LedgerItems(new PackedChars());
      const model = new Map<number, Item>();
      for (const now of before) perform(items, model, now);
      const copy = items.copy();
      const copied = new Map([...model].map(([at, item]) => [at, { ...item }]));
      for (const now of here) perform(items, model, now);
      for (const now of there) perform(copy, copied, now);
      expectSame(items, model);
      expectSame(copy, copied);
    }),
  );
});

const counts = (some: Partial<CharsByKind>): CharsByKind => ({ ...newCharsByKind(), ...some });

test.each([
  ["text of one kind", { toolInputs: 80 }, [{ kind: "toolInputs" as const, tokens: 20 }]],
  ["text and an image", { assistant: 7, imageTokens: 80 }, [{ kind: "assistant", tokens: 9 }]],
  ["one character and an image", { tools: 1, imageTokens: 80 }, [{ kind: "tools", tokens: 9 }]],
  ["only an image: the item's own kind", { imageTokens: 1 }, [{ kind: "toolResults", tokens: 1 }]],
  ["nothing", {}, []],
] satisfies [string, Partial<CharsByKind>, Portion[]][])("tokens of %s", (_, some, portions) => {
  const items = new LedgerItems(new PackedChars());
  items.set(0, counts(some), "toolResults", true);
  items.setPortions(0, portions);
  expect(items.portionsOf(0)).toEqual(portions);
});

test("tokens by kind are those that were set, in a copy and after both are scaled", () => {
  const items = new LedgerItems(new PackedChars());
  const portions: Portion[] = [
    { kind: "assistant", tokens: 2 },
    { kind: "toolInputs", tokens: 20.5 },
  ];
  items.set(3, counts({ assistant: 7, toolInputs: 80 }), "assistant", true);
  items.setPortions(3, portions);
  const copy = items.copy();
  items.setPortions(3, null);
  expect([items.portionsOf(3), items.tokensOf(3)]).toEqual([null, null]);
  expect([copy.portionsOf(3), copy.tokensOf(3)]).toEqual([portions, 22.5]);
  copy.scale(2);
  expect(copy.portionsOf(3)).toEqual([
    { kind: "assistant", tokens: 4 },
    { kind: "toolInputs", tokens: 41 },
  ]);
});

test("an item in the place of a removed one does not inherit its tokens", () => {
  const items = new LedgerItems(new PackedChars());
  const chars = counts({ user: 7 });
  items.set(0, chars, "user", true);
  items.setPortions(0, [{ kind: "user", tokens: 2 }]);
  items.rememberWhole(0, 2);
  expect(plain(items.wholeOf(0))).toEqual(plain(chars));
  items.remove(0);
  items.set(0, chars, "user", true);
  expect([items.wholeOf(0), items.tokensOf(0), items.portionsOf(0)]).toEqual([null, null, null]);
});
