import { expect, test } from "bun:test";
import type { AgentCommand } from "../../../../src/protocol/command.ts";
import type { Ask, Poll } from "../../../../src/protocol/event.ts";
import { Builder } from "../../../context/build.ts";
import { stage } from "../../stage.ts";

/** A pause without keys after which a question takes answers. */
const quietMs = 500;

const options = [{ label: "Red" }, { label: "Blue", description: "calm" }];

const ask = (poll: Partial<Poll>, more: Partial<Ask> = {}): Ask => ({
  id: "1",
  toolUse: "t",
  tool: "AskUserQuestion",
  title: "The agent asks you",
  detail: "Which color?",
  detailKind: "text",
  rule: null,
  poll: { options, takesSeveral: false, ...poll },
  ...more,
});

async function open(poll: Partial<Poll> = {}, more: Partial<Ask> = {}) {
  const one = stage(new Builder(), { services: { edit: async (text) => `${text} Twice.` } });
  await one.tell({ type: "phase", phase: "tools" }, { type: "ask", ask: ask(poll, more) });
  one.wait(quietMs);
  return one;
}

const answer = (input: Record<string, unknown>): AgentCommand[] => [
  { type: "answer", id: "1", answer: { allow: true, scope: "once", input } },
];

test("an option is taken by its number, or by arrows", async () => {
  const { press, sent } = await open();
  await press("2");
  expect(sent).toEqual(answer({ answer: "Blue" }));
});

test("the user answers in their own words, or not at all", async () => {
  const own = await open();
  await own.press("w", "green, please", "<enter>");
  expect(own.sent).toEqual(answer({ answer: "green, please" }));
  const none = await open();
  await none.press("n");
  expect(none.sent).toEqual([{ type: "answer", id: "1", answer: { allow: false } }]);
});

test("several options are marked, then sent together", async () => {
  const { press, sent, frame } = await open({ takesSeveral: true });
  await press("2", "1", "2", " ", "<down>", " ");
  expect(frame()).toContain("1. ☐ Red");
  expect(frame()).toContain("2. ☑ Blue");
  await press("<up>", " ", "<down>", "<down>", "<up>");
  await press("<down>", "<enter>");
  expect(sent).toEqual(answer({ answer: "Blue, Red" }));
  const none = await open({ takesSeveral: true });
  await none.press("<down>", "<down>", "<enter>");
  expect(none.sent).toEqual(answer({ answer: "None of these" }));
});

test("a plan is shown in full, and sent back with the answer as the user changed it, or refused", async () => {
  const { press, sent, frame } = await open({ editable: "1. Mend it." });
  expect(frame()).toContain("1. Mend it.");
  expect(frame()).not.toContain("Changed by you.");
  await press("e");
  expect(frame()).toMatch(/1\. Mend it\. Twice\.[^]*Changed by you\./);
  await press("1");
  expect(sent).toEqual(answer({ answer: "Red", text: "1. Mend it. Twice." }));
  const refused = await open({ editable: "1. Mend it." });
  await refused.press("n", "shorter", "<enter>");
  const no = { allow: false, reason: "shorter" } as const;
  expect(refused.sent).toEqual([{ type: "answer", id: "1", answer: no }]);
});

test.each<Partial<Poll>>([{}, { editable: "Delete it.\rRead it." }])(
  "nothing of a question or a plan is hidden: %j",
  async (poll) => {
    const { frame } = await open(poll, { detail: "Delete it.\rRead it." });
    expect(frame()).toContain("Delete it.␍Read it.");
  },
);

test("an answer that was begun is still there after Esc", async () => {
  const { press, sent, frame } = await open();
  await press("w", "green", "<escape>");
  expect(frame()).toContain("Which color?");
  await press("w", "ish", "<enter>");
  expect(sent).toEqual(answer({ answer: "greenish" }));
});

const among = { at: 0, headers: ["Color", "Size"], answers: [null, "S"] };

test("the questions of a card are tabs, and the arrows lead back and forth", async () => {
  const { press, sent, frame, wait } = await open({ among, takesSeveral: true });
  expect(frame()).toContain("[Color]  ✓ Size");
  expect(frame()).toContain("← → other question");
  await press("<left>");
  expect(sent).toEqual([]);
  wait(300);
  await press(" ", "<right>");
  expect(sent).toEqual(answer({ goTo: 1, answer: "Red" }));
});

test("a question of a card that was answered before shows its answer", async () => {
  const said = { at: 0, headers: ["Color", "Size"], answers: ["Blue, Red", null] };
  const several = await open({ among: said, takesSeveral: true });
  expect(several.frame()).toMatch(/☑ Red[^]*☑ Blue/);
  const only = await open({ among: { ...said, answers: ["Blue", null] } });
  expect(only.frame()).toContain("❯ 2. Blue");
});

test("the next question of a card takes keys at once, but not the same press twice", async () => {
  const headers = ["A", "B"];
  const { press, tell, wait, sent, prompt } = await open({
    among: { at: 0, headers, answers: [null, null] },
  });
  await press("1");
  const next = ask({ among: { at: 1, headers, answers: ["Red", null] } }, { id: "2" });
  await tell({ type: "asked", id: "1" }, { type: "ask", ask: next });
  await press("1");
  expect(sent).toHaveLength(1);
  wait(300);
  await press("2");
  expect(sent.at(-1)).toMatchObject({ id: "2", answer: { input: { answer: "Blue" } } });
  expect(prompt()).toBe("");
});
