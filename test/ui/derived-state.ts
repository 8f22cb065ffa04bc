/** A short session with everything that a transcript can contain, for screen tests. */

import { Builder, call, noPrice, say } from "../context/build.ts";

const on = new Builder({ model: "scripted" });

const lines = (name: string, count: number): string =>
  Array.from({ length: count }, (_, n) => `${name} ${n + 1}`).join("\n");

const usage = (input: number) => ({ input, cacheRead: 0, cacheWrite: 0, output: 60 });
const answer = (text: string, input: number) => on.answer([say(text)], { usage: usage(input) });
const reads = (id: string, path: string, input: number) =>
  on.answer([call(id, "Read", { path })], { usage: usage(input) });

const code = "Two ways:\n\n```ts\nconst a = 1;\n```\n\n```ts\nconst b = 2;\n```";

const first = on.user("Where is the harbour?");
reads("t1", "harbour.txt", 1_000);
on.result("t1", lines("quay", 300));
const last = answer("It is behind `harbour.txt:12`.", 2_000);
on.user("And the lighthouse?");
reads("t2", "lighthouse.log", 2_200);
on.result("t2", lines("lamp", 20), { file: "lines:4000000" });
reads("t3", "keeper.txt", 2_500);
const keeper = on.result("t3", lines("keeper", 200));
answer("The keeper knows.", 4_200);
on.add({
  type: "cut",
  tier: "microcompact",
  trigger: "idle",
  reason: "The cache is cold.",
  changes: [{ kind: "replace", entry: keeper.id, text: "[cleared: Read keeper.txt, #e10]" }],
  price: { ...noPrice, usedBefore: 4_260, usedAfter: 2_560, breakEvenCalls: 0 },
});
const span = { from: first.id, to: last.id };
on.add({
  type: "cut",
  tier: "summary",
  trigger: "key",
  reason: "Asked for.",
  changes: [{ kind: "cover", span, text: "The harbour is in harbour.txt." }],
  price: { ...noPrice, usedBefore: 2_560, usedAfter: 1_660, usd: 0.02, breakEvenCalls: 4 },
  summary: {
    by: "model",
    turns: 2,
    instructionsPutBack: ["Never touch the quay."],
    losses: [{ kind: "path", text: "harbour.txt:12", entry: last.id }],
  },
});
on.user("Show me code.");
answer(code, 1_700);

export const past = on.path.slice(1);
