/** A question of the agent: the user picks an answer, writes one, or changes what they are shown. */

import type { Ask } from "../../protocol/event.ts";
import { FieldModel } from "../field.ts";
import type { Host } from "../host.ts";
import { span } from "../line.ts";
import { sanitize, showControls } from "../sanitize.ts";
import { wrapWords } from "../wrap.ts";
import { choiceQuestion, type Choice, type Question } from "./question.ts";

export function pollQuestion(
  host: Host,
  { id, title, detail, poll }: Ask & { poll: NonNullable<Ask["poll"]> },
  isTyping: boolean,
): Question {
  const { options, takesSeveral, editable } = poll;
  const picked = new Set<string>();
  let text = editable ?? "";

  function send(answer: string): void {
    const input = { answer, ...(editable === undefined ? {} : { text }) };
    host.send({ type: "answer", id, answer: { allow: true, scope: "once", input } });
  }

  async function edit(): Promise<void> {
    await host.suspend(async () => void (text = await host.options.services.edit(text)));
    host.redraw();
  }

  function write(): void {
    question.askLine({
      label: "Your answer: ",
      hint: "Enter send · Esc back",
      input: new FieldModel("", host.redraw),
      onEnter: (words) => (words === "" ? question.askLine(null) : send(words)),
    });
  }

  const toggle = (label: string): void => void (picked.delete(label) || picked.add(label));
  const choices: Choice[] = [
    ...options.map(({ label, description }, at): Choice => {
      const words = showControls(description === undefined ? label : `${label}: ${description}`);
      return {
        ...(at < 9 && { key: String(at + 1) }),
        get label() {
          return takesSeveral ? `${picked.has(label) ? "[x]" : "[ ]"} ${words}` : words;
        },
        take: () => (takesSeveral ? toggle(label) : send(label)),
      };
    }),
    ...(takesSeveral
      ? [{ label: "Send these", take: () => send([...picked].join(", ") || "None of these") }]
      : []),
    ...(editable === undefined
      ? []
      : [{ key: "e", label: "Change it in your editor", take: () => void edit() }]),
    { key: "w", label: "In your own words", take: write },
    {
      key: "n",
      label: "Do not answer",
      take: () => host.send({ type: "answer", id, answer: { allow: false } }),
    },
  ];
  const question: Question = choiceQuestion(
    host,
    {
      title: showControls(title),
      detail: (width) => wrapWords(sanitize(editable === undefined ? detail : text), width),
      notes: () =>
        editable === undefined || text === editable ? [] : [span("accent", "Changed by you.")],
      choices,
      onEscape: () => host.send({ type: "stop" }),
    },
    isTyping,
  );
  return question;
}
