import { expect, test } from "bun:test";
import type { AgentCommand } from "../../../src/protocol/command.ts";
import type { Ask, Poll } from "../../../src/protocol/event.ts";
import { quietMs } from "../../../src/ui/questions/question.ts";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

const options = [{ label: "Red" }, { label: "Blue", description: "calm" }];

async function open(poll: Partial<Poll> = {}, detail = "Which color?") {
  const ask: Ask = {
    id: "1",
    toolUse: "t",
    tool: "AskUserQuestion",
    title: "The agent asks you",
    detail,
    detailKind: "text",
    rule: null,
    poll: { options, takesSeveral: false, ...poll },
  };
  const one = stage(new Builder());
  await one.tell({ type: "phase", phase: "tools" }, { type: "ask", ask });
  one.wait(quietMs);
  return one;
}

const answer = (input: Record<string, unknown>): AgentCommand[] => [
  { type: "answer", id: "1", answer: { allow: true, scope: "once", input } },
];

test("an option is taken by its number, or by arrows", async () => {
  const { press, sent, frame, end } = await open();
  expect(frame()).toContain("Which color?");
  expect(frame()).toMatch(/2\. Blue +│\n│ {6}calm/);
  await press("2");
  expect(sent).toEqual(answer({ answer: "Blue" }));
  end();
});

test("the user answers in their own words, or not at all", async () => {
  const own = await open();
  await own.press("w", "green, please", "<enter>");
  expect(own.sent).toEqual(answer({ answer: "green, please" }));
  own.end();
  const none = await open();
  await none.press("n");
  expect(none.sent).toEqual([{ type: "answer", id: "1", answer: { allow: false } }]);
  none.end();
});

test("several options are marked, then sent together", async () => {
  const { press, sent, frame, end } = await open({ takesSeveral: true });
  await press("2", "1", "2", " ", "<down>", " ");
  expect(frame()).toContain("1. ☐ Red");
  expect(frame()).toContain("2. ☑ Blue");
  await press("<up>", " ", "<down>", "<down>", "<up>");
  await press("<down>", "<enter>");
  expect(sent).toEqual(answer({ answer: "Blue, Red" }));
  end();
});

test("a plan is shown in full and sent back with the answer", async () => {
  const { press, sent, frame, end } = await open({ editable: "1. Mend it." });
  expect(frame()).toContain("1. Mend it.");
  expect(frame()).toContain("Change it in your editor (e)");
  await press("1");
  expect(sent).toEqual(answer({ answer: "Red", text: "1. Mend it." }));
  end();
});

test.each<Partial<Poll>>([{}, { editable: "Delete it.\rRead it." }])(
  "nothing of a question or a plan is hidden: %j",
  async (poll) => {
    const { frame, end } = await open(poll, "Delete it.\rRead it.");
    expect(frame()).toContain("Delete it.␍Read it.");
    end();
  },
);

test("an answer that was begun is still there after Esc", async () => {
  const { press, sent, frame, end } = await open();
  await press("w", "green", "<escape>");
  expect(frame()).toContain("Which color?");
  await press("w", "ish", "<enter>");
  expect(sent).toEqual(answer({ answer: "greenish" }));
  end();
});
