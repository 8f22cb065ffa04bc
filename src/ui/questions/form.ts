/** Asks the user to fill in a form: one choice for each field, and two to send or decline it. */

import type { Ask } from "../../protocol/event.ts";
import { missingIn, valueIn, type FormField, type FormValues } from "../../protocol/form.ts";
import { counted } from "../../base/in-words.ts";
import { FieldModel } from "../field.ts";
import type { Host } from "../host.ts";
import { span } from "../line.ts";
import { showControls } from "../sanitize.ts";
import { wrapAnywhere } from "../wrap.ts";
import { choiceQuestion, type Choice, type Question } from "./question.ts";

export function formQuestion(
  host: Host,
  { id, title, detail, form }: Ask & { form: NonNullable<Ask["form"]> },
  isTyping: boolean,
): Question {
  const { fields } = form;
  const values: FormValues = { ...form.defaults };

  function edit(field: FormField): void {
    const { name } = field;
    const value = values[name];
    if (field.kind === "yes-no") values[name] = value !== true;
    else if (field.kind === "choice") {
      const at = field.options.findIndex((one) => one.value === value);
      const next = field.options[(at + 1) % field.options.length];
      if (next) values[name] = next.value;
    } else
      question.askLine({
        label: `${showControls(field.label)}: `,
        hint: "Enter save · Esc back",
        input: new FieldModel(value === undefined ? "" : String(value), host.redraw),
        onEnter(text) {
          const entered = valueIn(field, text);
          if (text === "") delete values[name];
          else if (entered === null)
            return host.flash(field.kind === "number" ? "This must be a number." : "Not accepted.");
          else values[name] = entered;
          question.askLine(null);
        },
      });
  }

  function send(): void {
    const missing = missingIn(fields, values);
    if (missing.length > 0)
      return host.flash(`${counted(missing.length, "field")} must be filled in.`);
    const input = { ...values };
    host.send({ type: "answer", id, answer: { allow: true, scope: "once", input } });
  }

  const choices: Choice[] = [
    ...fields.map((field): Choice => {
      return {
        get label() {
          return `${showControls(field.label)}${field.isRequired ? "*" : ""}: ${shown(field, values)}`;
        },
        take: () => edit(field),
      };
    }),
    { label: "Send", needsAll: true, take: send },
    {
      label: "Decline",
      take: () => host.send({ type: "answer", id, answer: { allow: false } }),
    },
  ];
  const question: Question = choiceQuestion(
    host,
    {
      title: showControls(title),
      detail: (width) => wrapAnywhere(showControls(detail), width),
      notes: () => [span("warning", "The server will see what you enter.")],
      choices,
      onEscape: () => host.send({ type: "stop" }),
    },
    isTyping,
  );
  return question;
}

function shown(field: FormField, values: FormValues): string {
  const value = values[field.name];
  if (value === undefined) return "(empty)";
  if (typeof value === "boolean") return value ? "yes" : "no";
  const option = field.kind === "choice" && field.options.find((one) => one.value === value);
  return showControls(option ? option.label : String(value));
}
