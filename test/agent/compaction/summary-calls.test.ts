import { expect, test } from "bun:test";
import { writeDraft } from "../../../src/agent/compaction/summarizer.ts";
import { writeByServer } from "../../../src/agent/compaction/summary-calls.ts";
import { ModelError } from "../../../src/model/failures.ts";
import { says, user } from "../../context/summary/say.ts";
import { instantClock } from "../../instant-clock.ts";
import { text, type Scripted } from "../scripted.ts";
import { makePlan, world } from "./harness.ts";

const summary = "The parser is mended, its tests pass again, and the lexer is next.";
const compaction = (content: string | null): Scripted => ({
  blocks: [{ type: "compaction", content, signature: "s" }],
});

test.each<[string, Scripted, number, object]>([
  ["shorter", compaction(summary), summary.length + 1, { text: summary }],
  [
    "as long",
    compaction(summary),
    summary.length,
    { failed: "its summary is no smaller than what it would replace", refused: false },
  ],
  ["empty", compaction(" "), 100, { failed: "it returned no summary", refused: false }],
  [
    "no words",
    compaction("-".repeat(90)),
    100,
    { failed: "it returned no summary", refused: false },
  ],
  ["refused", { error: new ModelError("invalid", "No.") }, 100, { failed: "No.", refused: true }],
  ["late", { error: new ModelError("busy", "Busy.") }, 100, { failed: "Busy.", refused: false }],
  ["none", { blocks: [text(summary)] }, 100, { failed: "it returned no summary", refused: false }],
])("a server's summary that is %s", async (_, reply, maxChars, expected) => {
  const one = world([reply], { rules: { compacts: true } });
  await one.add(user("Mend it."), says("Yes."), user("go on"));
  const plan = makePlan(one);
  if (!plan || !("summarize" in plan)) throw new Error("There is no plan.");
  const { session, model } = one;
  const written = await one.run(
    writeByServer({
      session,
      model,
      span: plan.summarize,
      prompt: "Sum up.",
      maxChars,
      clock: instantClock(),
      signal: new AbortController().signal,
    }),
  );
  expect(written).toMatchObject(expected);
});

test("without a model the summary is at most half as long as what it may be", async () => {
  const one = world([{ error: new ModelError("auth", "No key.") }]);
  const long = "The parser reads a token and looks at the next one. ".repeat(200);
  for (let turn = 0; turn < 9; turn++) await one.add(user(`Turn ${turn}: ${long}`), says(long));
  await one.add(user("go on"));
  const plan = makePlan(one);
  if (!plan || !("summarize" in plan)) throw new Error("There is no plan.");
  const { session, model } = one;
  const options = { session, model: () => model, clock: instantClock() };
  const draft = await one.run(
    writeDraft(
      options,
      {
        span: plan.summarize,
        maxChars: 4_000,
        trigger: "auto",
        mayBeSigned: false,
        signal: new AbortController().signal,
      },
      async () => [],
    ),
  );
  if (!("by" in draft)) throw new Error("It stopped.");
  expect(draft.by).toBe("extract");
  expect(draft.text.length).toBeLessThanOrEqual(2_000);
  expect(draft.text.length).toBeGreaterThan(1_700);
});
