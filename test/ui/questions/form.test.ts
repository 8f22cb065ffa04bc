import { expect, test } from "bun:test";
import type { Ask } from "../../../src/protocol/event.ts";
import { quietMs } from "../../../src/ui/questions/question.ts";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

const ask: Ask = {
  id: "1",
  toolUse: "",
  tool: "small",
  title: "MCP server small asks you",
  detail: "Who are you?",
  detailKind: "text",
  rule: null,
  form: {
    fields: [
      { name: "name", label: "Name", isRequired: true, kind: "text" },
      { name: "age", label: "Age", isRequired: false, kind: "number", isInteger: true },
      {
        name: "color",
        label: "Color",
        isRequired: false,
        kind: "choice",
        options: [
          { value: "r", label: "red" },
          { value: "g", label: "green" },
        ],
      },
      { name: "news", label: "News", isRequired: false, kind: "yes-no" },
    ],
    defaults: { color: "r" },
  },
};

async function open() {
  const one = stage(new Builder());
  await one.tell({ type: "phase", phase: "tools" }, { type: "ask", ask });
  one.wait(quietMs);
  return one;
}

test("fields are filled in one by one, and sent together", async () => {
  const { press, sent, frame, end } = await open();
  expect(frame()).toContain("Name*: (empty)");
  expect(frame()).toContain("Color: red");
  await press("<enter>", "Ada", "<enter>");
  expect(frame()).toContain("Name*: Ada");
  await press("<down>", "<enter>", "thirty", "<enter>");
  expect(frame()).toContain("Age: thirty");
  await press("<escape>", "<enter>", "36", "<enter>");
  expect(frame()).toContain("Age: 36");
  await press("<down>", "<enter>", "<down>", "<enter>", "<down>", "<enter>");
  expect(sent).toEqual([
    {
      type: "answer",
      id: "1",
      answer: {
        allow: true,
        scope: "once",
        input: { name: "Ada", age: 36, color: "g", news: true },
      },
    },
  ]);
  end();
});

test("nothing is sent while a required field is empty; it can be declined", async () => {
  const { press, sent, end } = await open();
  await press("<down>", "<down>", "<down>", "<down>", "<enter>");
  expect(sent).toEqual([]);
  await press("<down>", "<enter>");
  expect(sent).toEqual([{ type: "answer", id: "1", answer: { allow: false } }]);
  end();
});
