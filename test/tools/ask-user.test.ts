import { afterAll, expect, test } from "bun:test";
import { blockText } from "../../src/protocol/block.ts";
import type { Answer } from "../../src/protocol/command.ts";
import type { Ask } from "../../src/protocol/event.ts";
import { addAttendedTools } from "../../src/tools/toolbox.ts";
import { leave, room } from "./room.ts";

afterAll(leave);

async function attended(mode: "default" | "plan" = "default", sandbox: "off" | undefined = "off") {
  const at = await room({ mode, ...(sandbox && { sandbox }) });
  addAttendedTools(at.box);
  const asked: Ask[] = [];
  const answers: Answer[] = [];
  const say = async (name: string, input: Record<string, unknown>): Promise<string> => {
    const ask = async (one: Ask): Promise<Answer> => {
      asked.push(one);
      return answers.shift() ?? { allow: false };
    };
    return blockText((await at.run(name, input, { ask })).content);
  };
  return { ...at, asked, answers, say };
}

const yes = (input: Record<string, unknown>): Answer => ({ allow: true, scope: "once", input });
const color = {
  question: "Which color?",
  options: [{ label: "Red" }, { label: "Blue", description: "calm" }],
};

test("the user's answers go to the model, in their words or by their choice", async () => {
  const at = await attended();
  at.answers.push(
    yes({ answer: "Blue" }),
    yes({ answer: "as you like" }),
    { allow: false, reason: "later" },
    yes({ answer: " " }),
  );
  const questions = [
    color,
    { question: "Which size?", header: "Size", multiSelect: true, options: [{ label: "S" }] },
    color,
    color,
  ];
  expect(await at.say("AskUserQuestion", { questions })).toBe(
    "The user's answers:\n- Which color?\n  Blue\n- Which size?\n  as you like\n- Which color?\n  " +
      "(not answered: later; decide yourself, and say what you assumed)\n- Which color?\n  " +
      "(answered without a choice)",
  );
  expect(at.asked[0]).toMatchObject({
    title: "The agent asks you · 1 of 4",
    detail: "Which color?",
    input: { questions: [color] },
    poll: {
      options: [{ label: "Red" }, { label: "Blue", description: "calm" }],
      takesSeveral: false,
    },
  });
  expect(at.asked[1]).toMatchObject({ title: "Size · 2 of 4", poll: { takesSeveral: true } });
  expect(new Set(at.asked.map(({ id }) => id)).size).toBe(4);
});

test("the user goes back to an earlier question, and each keeps its answer", async () => {
  const at = await attended();
  const size = { question: "Which size?", header: "Size", options: [{ label: "S" }] };
  at.answers.push(
    yes({ goTo: 1 }),
    yes({ answer: "S" }),
    yes({ answer: "Blue, pale", goTo: 1 }),
    yes({ goTo: 7, answer: "M" }),
  );
  expect(await at.say("AskUserQuestion", { questions: [color, size] })).toBe(
    "The user's answers:\n- Which color?\n  Blue, pale\n- Which size?\n  M",
  );
  expect(at.asked.map(({ poll }) => poll?.among?.at)).toEqual([0, 1, 0, 1]);
  expect(at.asked.at(-1)?.poll?.among).toEqual({
    at: 1,
    headers: ["Question 1", "Size"],
    answers: ["Blue, pale", "S"],
  });
});

test("after a question that was chosen, those behind it come before those that were left out", async () => {
  const at = await attended();
  const questions = ["One?", "Two?", "Three?"].map((question) => ({ ...color, question }));
  at.answers.push(yes({ goTo: 1 }), ...[2, 3, 1].map((answer) => yes({ answer: `${answer}` })));
  expect(await at.say("AskUserQuestion", { questions })).toEndWith(
    "- One?\n  1\n- Two?\n  2\n- Three?\n  3",
  );
});

test("a client answers by the text of the question, and one question may come alone", async () => {
  const at = await attended();
  at.answers.push(yes({ questions: [color], answers: { other: "Blue", "Which color?": "Red" } }));
  expect(await at.say("AskUserQuestion", color)).toEndWith("- Which color?\n  Red");
  expect(at.asked[0]?.title).toBe("The agent asks you");
  expect(at.asked[0]?.poll).not.toHaveProperty("among");
  at.answers.push({ allow: false });
  expect(await at.say("AskUserQuestion", color)).toContain("(not answered; decide yourself");
});

test("an approved plan ends plan mode, and is carried out as the user left it", async () => {
  const at = await attended("plan");
  const plan = "1. Mend it.\n2. Test it.";
  at.answers.push({ allow: false });
  expect(await at.say("ExitPlanMode", { plan })).toContain("did not approve the plan.");
  at.answers.push(yes({ answer: "but without tests", text: plan }));
  expect(await at.say("ExitPlanMode", { plan })).toContain("and said: but without tests.");
  at.answers.push({ allow: false, reason: "not yet" });
  expect(await at.say("ExitPlanMode", { plan })).toContain("and said: not yet.");
  expect(at.box.mode).toBe("plan");
  at.answers.push(yes({ answer: "Yes, and don't ask for edits", text: "1. Mend it." }));
  const said = await at.say("ExitPlanMode", { plan });
  expect(said).toContain("The user approved the plan in this form.");
  expect(said).toEndWith("Carry the plan out now:\n\n1. Mend it.");
  expect(at.box.mode).toBe("accept-edits");
  expect(at.asked[0]?.poll?.editable).toBe(plan);
  expect(await at.say("ExitPlanMode", { plan })).toContain("This is not plan mode");
});

test("where there is mode auto, a plan can be carried out in it", async () => {
  const at = await attended("plan", undefined);
  if (!(await at.box.hasSandbox())) return;
  const answer = "Yes, and don't ask for edits and sandboxed commands";
  at.answers.push(yes({ answer }));
  await at.say("ExitPlanMode", { plan: "1. Do it." });
  expect(at.box.mode).toBe("auto");
  expect(at.asked[0]?.poll?.options).toContainEqual({ label: answer });
});

test("a client that only approves a plan gets the mode that asks", async () => {
  const at = await attended("plan");
  at.answers.push(yes({ plan: " " }));
  expect(await at.say("ExitPlanMode", { plan: "1. Do it." })).toContain(
    "this plan as you wrote it",
  );
  expect(at.box.mode).toBe("default");
});
