/** The questions of the agent: permission for a call, a form, a choice, the review of a summary. */

import type { Answer, AgentCommand } from "../../protocol/command.ts";
import type { Ask, CompactionState } from "../../protocol/event.ts";
import { FieldModel } from "../field.ts";
import type { Host } from "../host.ts";
import type { ElsewhereQuestion, Send } from "../types.ts";
import { type Line, span, wrapAnywhere, wrapWords } from "../line.ts";
import { highlight } from "../code/highlight.ts";
import { Memo } from "../memo.ts";
import { sanitize, sanitizeLine, showControls } from "../sanitize.ts";
import { homePath } from "../transcript/format.ts";
import { diffLines, isDiff } from "../transcript/diff-lines.ts";
import { type Choice, choiceQuestion, type Question } from "./question.ts";
import { findValue, type FormField, type FormValues, listMissing } from "../../protocol/form.ts";
import { counted } from "../../base/in-words.ts";

/** The question that an agent asks: a poll, a form, or for permission. `send` reaches that agent. */
export function askQuestion(host: Host, asked: Ask, isTyping: boolean, send = host.send): Question {
  const to = { host, isTyping, send };
  const title = asked.inBackground ? `${asked.title} (in the background)` : asked.title;
  const ask = { ...asked, title };
  if (ask.poll) return pollQuestion(to, { ...ask, poll: ask.poll });
  return ask.form ? formQuestion(to, { ...ask, form: ask.form }) : permissionQuestion(to, ask);
}

type To = { host: Host; isTyping: boolean; send: Send };

/** The question of a session in another terminal, answered from here. */
export function elsewhereQuestion(
  host: Host,
  question: ElsewhereQuestion,
  isTyping: boolean,
): Question {
  const send = (command: AgentCommand): void => {
    host.show(null);
    if (command.type !== "answer") return;
    const { answerElsewhere } = host.options.services;
    answerElsewhere(question, command.answer).then(() => host.flash("Answered."), host.report);
  };
  return askQuestion(host, question.ask, isTyping, send);
}

/** Escape stops the turn that waits for the answer; where none does, it denies. */
const escaping = (to: To, ask: Ask) => (): void =>
  ask.inBackground ? answering(to, ask)({ allow: false }) : to.send({ type: "stop" });

const answering =
  ({ send }: To, { id }: Ask) =>
  (answer: Answer): void =>
    send({ type: "answer", id, answer });

/** Has the user change a text in their editor. */
const editText = (host: Host, text: string, take: (text: string) => void): void =>
  void host
    .suspend(async () => take(await host.options.services.edit(text)))
    .then(() => host.redraw());

function permissionQuestion(to: To, ask: Ask): Question {
  const { host, isTyping, send } = to;
  const memo = new Memo<string[]>();
  const answer = answering(to, ask);
  const allow = (scope: "once" | "session" | "always", label: string): Choice => ({
    label,
    needsAll: true,
    take: () => answer({ allow: true, scope }),
  });
  const reason = {
    label: "Reason (optional): ",
    hint: "Enter deny · Esc back",
    input: new FieldModel("", host.redraw),
    onEnter: (words: string) =>
      answer({ allow: false, ...(words === "" ? {} : { reason: words }) }),
  };
  const { rule, always, warning, edits } = ask;
  const change = (key: string): void =>
    question.askLine({
      label: "Your version: ",
      hint: "Enter allow · Esc back",
      input: new FieldModel(
        sanitizeLine(String(ask.input?.[key] ?? "").replace(/\s+/g, " ")),
        host.redraw,
      ),
      onEnter: (words) =>
        words === ""
          ? question.askLine(null)
          : answer({ allow: true, scope: "once", input: { ...ask.input, [key]: words } }),
    });
  const choices: Choice[] = [
    { key: "y", ...allow("once", "Allow once") },
    ...(edits === undefined
      ? []
      : [{ key: "e", label: "Change it, then allow", needsAll: true, take: () => change(edits) }]),
    ...(rule === null ? [] : [allow("session", `Allow for this session: ${oneLine(rule)}`)]),
    ...(ask.offersAuto
      ? [
          {
            key: "a",
            label: "Allow, and run what is confined and can be undone without asking (mode auto)",
            needsAll: true,
            take: () => {
              send({ type: "mode", mode: "auto" });
              answer({ allow: true, scope: "once" });
            },
          },
        ]
      : []),
    ...(always === undefined ? [] : [allow("always", alwaysLabel(always))]),
    { key: "n", label: "Deny, and tell the agent why", take: () => question.askLine(reason) },
  ];
  const question: Question = choiceQuestion(
    host,
    {
      title: showControls(ask.title),
      detail: (width) => memo.get([width, host.theme], () => detailLines(ask, width, host)),
      notes: (width) => noteLines(ask, width),
      choices,
      start: warning === undefined ? 0 : choices.length - 1,
      onEscape: escaping(to, ask),
    },
    isTyping,
  );
  return question;
}

const alwaysLabel = ({ rule, file }: NonNullable<Ask["always"]>): string =>
  `Allow always: adds ${oneLine(rule)} to ${showControls(homePath(file))}`;

function detailLines({ detail, detailKind }: Ask, width: number, { theme }: Host): string[] {
  const text = showControls(detail).trimEnd();
  if (text === "") return [];
  if (detailKind === "diff" && isDiff(text)) return diffLines(text, { width, theme }, Infinity);
  if (detailKind !== "command") return wrapAnywhere(text, width);
  return highlight(text, "bash", theme).flatMap((line) => wrapAnywhere(line, width));
}

const maxWords = 2;

/** Names of files may hold line breaks: what follows would pass for a sentence of the question. */
const oneLine = (text: string): string => showControls(text).replaceAll("\n", "⏎");

function noteLines({ warning, access, description }: Ask, width: number): Line[] {
  const said = showControls(description ?? "").replaceAll("\n", " ");
  const warned = warning === undefined ? [] : wrapWords(`Warning: ${oneLine(warning)}`, width);
  const granted = access === undefined ? [] : wrapWords(oneLine(access), width);
  const words = said === "" ? [] : wrapWords(`The agent says: ${said}`, width);
  return [
    ...warned.map((line) => span("bad", line)),
    ...granted.map((line) => span("warning", line)),
    ...words.slice(0, maxWords).map((line) => span("dim", line)),
  ];
}

function formQuestion(to: To, ask: Ask & { form: NonNullable<Ask["form"]> }): Question {
  const { host, isTyping } = to;
  const { title, detail, form } = ask;
  const answer = answering(to, ask);
  const { fields } = form;
  const values: FormValues = { ...form.defaults };

  function edit(field: FormField): void {
    const { name } = field;
    const value = values[name];
    if (field.kind === "yes-no") values[name] = value !== true;
    else if (field.kind === "choice") {
      const at = field.options.findIndex((option) => option.value === value);
      const next = field.options[(at + 1) % field.options.length];
      if (next) values[name] = next.value;
    } else
      question.askLine({
        label: `${showControls(field.label)}: `,
        hint: "Enter save · Esc back",
        input: new FieldModel(value === undefined ? "" : String(value), host.redraw),
        onEnter(text) {
          const entered = findValue(field, text);
          if (text === "") delete values[name];
          else if (entered === null)
            return host.flash(field.kind === "number" ? "This must be a number." : "Not accepted.");
          else values[name] = entered;
          question.askLine(null);
        },
      });
  }

  function submit(): void {
    const missing = listMissing(fields, values);
    if (missing.length > 0)
      return host.flash(`${counted(missing.length, "field")} must be filled in.`);
    answer({ allow: true, scope: "once", input: { ...values } });
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
    { label: "Send", needsAll: true, take: submit },
    { label: "Decline", take: () => answer({ allow: false }) },
  ];
  const question: Question = choiceQuestion(
    host,
    {
      title: showControls(title),
      detail: (width) => wrapAnywhere(showControls(detail), width),
      notes: () => [span("warning", "The server will see what you enter.")],
      choices,
      onEscape: escaping(to, ask),
    },
    isTyping,
  );
  return question;
}

function shown(field: FormField, values: FormValues): string {
  const value = values[field.name];
  if (value === undefined) return "(empty)";
  if (typeof value === "boolean") return value ? "yes" : "no";
  const option =
    field.kind === "choice" && field.options.find((candidate) => candidate.value === value);
  return showControls(option ? option.label : String(value));
}

function pollQuestion(to: To, ask: Ask & { poll: NonNullable<Ask["poll"]> }): Question {
  const { host, isTyping } = to;
  const { title, detail, poll } = ask;
  const { options, takesSeveral, editable } = poll;
  const picked = new Set<string>();
  let text = editable ?? "";

  const answer = answering(to, ask);

  function send(words: string): void {
    const input = { answer: words, ...(editable === undefined ? {} : { text }) };
    answer({ allow: true, scope: "once", input });
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
      : [
          {
            key: "e",
            label: "Change it in your editor",
            take: () => editText(host, text, (edited) => void (text = edited)),
          },
        ]),
    { key: "w", label: "In your own words", take: write },
    { key: "n", label: "Do not answer", take: () => answer({ allow: false }) },
  ];
  const question: Question = choiceQuestion(
    host,
    {
      title: showControls(title),
      detail: (width) => wrapWords(sanitize(editable === undefined ? detail : text), width),
      notes: () =>
        editable === undefined || text === editable ? [] : [span("accent", "Changed by you.")],
      choices,
      onEscape: escaping(to, ask),
    },
    isTyping,
  );
  return question;
}

type SummaryReview = Extract<CompactionState, { step: "review" }>;

export function reviewQuestion(host: Host, review: SummaryReview, isTyping: boolean): Question {
  let { text } = review;
  const answer = (summary: string | null): void =>
    host.send({ type: "review", id: review.id, text: summary });
  const edit = (): void => editText(host, text, (edited) => void (text = edited));
  return choiceQuestion(
    host,
    {
      title: "Review the summary",
      detail: (width) => wrapWords(sanitize(text), width),
      notes: () => (text === review.text ? [] : [span("accent", "Edited by you.")]),
      choices: [
        { key: "y", label: "Use this summary", take: () => answer(text) },
        { key: "e", label: "Edit it in your editor", take: edit },
        { key: "n", label: "Discard it and keep everything", take: () => answer(null) },
      ],
      onEscape: () => answer(null),
    },
    isTyping,
  );
}
