import { expect, test } from "bun:test";
import { newCharsByKind, type CharsByKind } from "../../../src/context/view/char-count.ts";
import { TokenLedger } from "../../../src/context/view/token-ledger.ts";

const chars = (some: Partial<CharsByKind>): CharsByKind => ({ ...newCharsByKind(), ...some });

/** A ledger with a result of 400 characters that a call counted as 100 tokens. */
function counted(): TokenLedger {
  const ledger = new TokenLedger();
  ledger.set(0, chars({ toolResults: 400 }), "toolResults", true);
  ledger.count(100);
  return ledger;
}

test("what a call counted is divided among the items that are new", () => {
  const ledger = counted();
  expect(ledger.countedTokens(0)).toBeCloseTo(100);
  ledger.set(1, chars({ user: 380 }), "user", true);
  ledger.set(2, chars({ user: 1_140 }), "user", true);
  expect([ledger.countedTokens(1), ledger.total()]).toEqual([null, 100]);
  ledger.count(500);
  expect(ledger.countedTokens(0)).toBeCloseTo(100);
  expect(ledger.countedTokens(1)).toBeCloseTo(100);
  expect(ledger.countedTokens(2)).toBeCloseTo(300);
  expect(ledger.counted.user).toBeCloseTo(400);
});

test("a shortened item has its share of the counted tokens, and all of them once it is whole again", () => {
  const ledger = counted();
  ledger.set(0, chars({ toolResults: 100 }), "toolResults", true);
  expect(ledger.countedTokens(0)).toBeCloseTo(25);
  expect([ledger.editedTokens, ledger.uncounted.toolResults]).toEqual([100, 0]);
  ledger.count(25);
  expect(ledger.editedTokens).toBe(0);
  ledger.set(0, chars({ toolResults: 400 }), "toolResults", true);
  expect(ledger.countedTokens(0)).toBeCloseTo(100);
});

test("another text of the same length in place of the item's own has not been counted", () => {
  const ledger = counted();
  ledger.set(0, chars({ toolResults: 400 }), "toolResults", false);
  expect([ledger.countedTokens(0), ledger.uncounted.toolResults, ledger.total()]).toEqual([
    null,
    400,
    0,
  ]);
  expect(ledger.countedWholeTokens(0)).toBeCloseTo(100);
});

test("an item that is set again as it was stays counted", () => {
  const ledger = counted();
  ledger.set(0, chars({ toolResults: 400 }), "toolResults", true);
  expect([ledger.countedTokens(0), ledger.editedTokens]).toEqual([100, 0]);
});

test("with other rows, their kinds stay, new ones are the user's, and the ledger is unchanged", () => {
  const ledger = new TokenLedger();
  ledger.set(0, chars({ imageTokens: 200 }), "toolResults", true);
  ledger.count(200);
  const next = ledger.with(
    new Map([
      [0, chars({ imageTokens: 100 })],
      [1, chars({ user: 40, imageTokens: 20 })],
    ]),
  );
  expect(next.counted).toMatchObject({ toolResults: 100, user: 0 });
  expect([next.uncounted.user, next.uncounted.imageTokens]).toEqual([40, 20]);
  next.count(150);
  expect(next.counted.toolResults).toBeCloseTo(100);
  expect(next.counted.user).toBeGreaterThan(20);
  expect(ledger.counted).toMatchObject({ toolResults: 200, user: 0 });
});

test("tokens that are in no item count as overhead, which another program's session takes with it", () => {
  const ledger = new TokenLedger();
  ledger.setFixedParts(380, 0);
  ledger.count(5_000);
  expect(ledger.counted.system).toBeCloseTo(5_000);
  ledger.forgetOverhead();
  expect([ledger.counted.system, ledger.uncounted.system]).toEqual([0, 380]);
});

test("the tokens of an answer are its own, once; an answer without text has none", () => {
  const ledger = counted();
  ledger.set(1, chars({ assistant: 380 }), "assistant", true);
  ledger.countAnswer(1, 70);
  ledger.countAnswer(1, 90);
  expect([ledger.countedTokens(1), ledger.counted.assistant]).toEqual([70, 70]);
  ledger.set(2, chars({}), "assistant", true);
  ledger.countAnswer(2, 50);
  expect([ledger.counted.assistant, ledger.total()]).toEqual([70, 170]);
});
