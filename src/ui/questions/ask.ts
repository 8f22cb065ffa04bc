/** The questions of the agent: permission for a call, a choice, the review of a summary. */

import type { Answer } from "../../protocol/command.ts";
import type { Ask, CompactionState, Poll } from "../../protocol/event.ts";
import type { Shared } from "../shared.ts";
import type { Send } from "../types.ts";
import { fit, type Line, span, wrapAnywhere, wrapSpans, wrapWords } from "../line.ts";
import { highlight } from "../code/highlight.ts";
import { Memo } from "../memo.ts";
import { showControls, showInLine } from "../sanitize.ts";
import type { Theme } from "../theme.ts";
import { homePath } from "../transcript/format.ts";
import { layoutMarkdown } from "../markdown/layout.ts";
import { diffLines, isDiff } from "../transcript/diff-lines.ts";
import {
  type AskLine,
  type Choice,
  choiceQuestion,
  type Question,
  type QuestionOptions,
} from "./question.ts";

type Asking = Pick<Shared, "store" | "actions" | "services">;

/** The question that the agent asks: a poll, or for permission. */
export function askQuestion(on: Asking, ask: Ask, isTyping: boolean): Question {
  const { send } = on.actions;
  const { id, title, inBackground, poll } = ask;
  const answer: AnswerAsk = (given) => send({ type: "answer", id, answer: given });
  const parts = poll ? pollParts(on, ask, poll, answer) : permissionParts(on, ask, answer, send);
  const options = {
    title: inBackground ? `${title} (in the background)` : title,
    /** Stops the turn that waits for the answer; where none does, it denies. */
    onEscape: () => (inBackground ? answer({ allow: false }) : send({ type: "stop" })),
    ...parts,
  };
  return choiceQuestion(on, options, isTyping);
}

type AnswerAsk = (answer: Answer) => void;

type Parts = Omit<QuestionOptions, "title" | "onEscape">;

/** Has the user change a text in their editor. */
const editText = (
  { store, actions, services }: Asking,
  text: string,
  take: (text: string) => void,
): void =>
  void actions.suspend(async () => take(await services.edit(text))).then(() => store.redraw());

function permissionParts(on: Asking, ask: Ask, answer: AnswerAsk, send: Send): Parts {
  const memo = new Memo<string[]>();
  const allow = (scope: "once" | "session" | "always", label: string): Choice => ({
    label,
    needsAll: true,
    take: () => answer({ allow: true, scope }),
  });
  const { rule, always, warning, edits } = ask;
  const change = (key: string, askLine: AskLine): void =>
    askLine({
      label: "Your version: ",
      hint: "Enter allow · Esc back",
      value: String(ask.input?.[key] ?? "").replace(/\s+/g, " "),
      onEnter: (words) =>
        words === ""
          ? askLine(null)
          : answer({ allow: true, scope: "once", input: { ...ask.input, [key]: words } }),
    });
  const deny: Choice = {
    key: "n",
    label: "Deny, and tell the agent why",
    take: (askLine) =>
      askLine({
        label: "Reason (optional): ",
        hint: "Enter deny · Esc back",
        onEnter: (words) => answer({ allow: false, ...(words === "" ? {} : { reason: words }) }),
      }),
  };
  const choices = [
    { key: "y", ...allow("once", "Allow once") },
    edits !== undefined && {
      key: "e",
      label: "Change it, then allow",
      needsAll: true,
      take: (askLine: AskLine) => change(edits, askLine),
    },
    rule !== null && allow("session", `Allow for this session: ${showInLine(rule)}`),
    ask.offersAuto === true && {
      key: "a",
      label: "Allow, and run sandboxed, undoable commands without asking (auto)",
      needsAll: true,
      take() {
        send({ type: "mode", mode: "auto" });
        answer({ allow: true, scope: "once" });
      },
    },
    always !== undefined && allow("always", alwaysLabel(always)),
    deny,
  ].filter((choice) => choice !== false);
  return {
    detail: (width) =>
      memo.get([width, on.store.theme], () => detailLines(ask, width, on.store.theme)),
    notes: (width) => noteLines(ask, width),
    choices,
    start: warning === undefined ? 0 : choices.length - 1,
  };
}

const alwaysLabel = ({ rule, file }: NonNullable<Ask["always"]>): string =>
  `Allow always: adds ${showInLine(rule)} to ${showControls(homePath(file))}`;

function detailLines({ detail, detailKind }: Ask, width: number, theme: Theme): string[] {
  const text = showControls(detail).trimEnd();
  if (text === "") return [];
  if (detailKind === "diff" && isDiff(text)) return diffLines(text, { width, theme }, Infinity);
  if (detailKind !== "command") return wrapAnywhere(text, width);
  return highlight(text, "bash", theme).flatMap((line) => wrapAnywhere(line, width));
}

const maxWords = 2;

function noteLines({ warning, access, description }: Ask, width: number): Line[] {
  const said = showControls(description ?? "").replaceAll("\n", " ");
  const words = said === "" ? [] : wrapWords(`The agent says: ${said}`, width);
  return [
    ...wrapSpans("bad", warning === undefined ? "" : `Warning: ${showInLine(warning)}`, width),
    ...wrapSpans("warning", showInLine(access ?? ""), width),
    ...words.slice(0, maxWords).map((line, at) => {
      const isCut = at === maxWords - 1 && words.length > maxWords;
      return span("dim", isCut ? fit(`${line} …`, width) : line);
    }),
  ];
}

function pollParts(
  on: Asking,
  { detail }: Ask,
  { options, takesSeveral, editable, among }: NonNullable<Ask["poll"]>,
  answer: AnswerAsk,
): Parts {
  const before = among?.answers[among.at] ?? "";
  const isPicked = ({ label }: { label: string }): boolean =>
    `, ${before}, `.includes(`, ${label}, `);
  const picked = new Set(options.filter(isPicked).map(({ label }) => label));
  const plan = new Memo<string[]>();
  let text = editable ?? "";

  function send(words: string): void {
    const input = { answer: words, ...(editable === undefined ? {} : { text }) };
    answer({ allow: true, scope: "once", input });
  }

  /** Ticks are kept; what was picked before is still there. */
  function goTo(step: 1 | -1): void {
    const to = (among?.at ?? 0) + step;
    if (among?.headers[to] === undefined) return;
    const ticked = takesSeveral && picked.size > 0 ? { answer: [...picked].join(", ") } : {};
    answer({ allow: true, scope: "once", input: { goTo: to, ...ticked } });
  }

  const write = (askLine: AskLine): void =>
    askLine({
      label: "Your answer: ",
      hint: "Enter send · Esc back",
      onEnter: (words) => (words === "" ? askLine(null) : send([...picked, words].join(", "))),
    });
  const refuse = (askLine: AskLine): void =>
    askLine({
      label: "To change (optional): ",
      hint: "Enter send · Esc back",
      onEnter: (words) => answer({ allow: false, ...(words === "" ? {} : { reason: words }) }),
    });

  const toggle = (label: string): void => void (picked.delete(label) || picked.add(label));
  const isPlan = editable !== undefined;
  const choices = [
    ...options.map(({ label, description }, at): Choice => {
      const words = showControls(label);
      return {
        ...(at < 9 && { key: String(at + 1), isNumbered: true }),
        ...(description !== undefined && { about: showControls(description) }),
        needsAll: isPlan,
        get label() {
          return takesSeveral ? `${picked.has(label) ? "☑" : "☐"} ${words}` : words;
        },
        ...(takesSeveral && { toggle: () => toggle(label) }),
        take: () => (takesSeveral ? toggle(label) : send(label)),
      };
    }),
    takesSeveral && {
      label: "Submit",
      take: () => send([...picked].join(", ") || "None of these"),
    },
    isPlan && {
      key: "e",
      label: "Change it in your editor",
      take: () => editText(on, text, (edited) => void (text = edited)),
    },
    isPlan
      ? { key: "n", label: "No, keep planning: say what to change", take: refuse }
      : { key: "w", label: "Type an answer…", take: write },
    !isPlan && { key: "n", label: "Skip", take: () => answer({ allow: false }) },
  ].filter((choice) => choice !== false);
  return {
    detail: (width) =>
      isPlan
        ? plan.get([text, width, on.store.theme], () =>
            layoutMarkdown(showControls(text), width, on.store.theme),
          )
        : [
            ...(among ? [tabLine(among, on.store.theme), ""] : []),
            ...wrapWords(showControls(detail), width),
          ],
    notes: () => (!isPlan || text === editable ? [] : [span("accent", "Changed by you.")]),
    choices,
    ...(among && {
      keys: { left: () => goTo(-1), right: () => goTo(1) },
      continues: among.at > 0 || among.answers.some((said) => said !== null),
    }),
    start: takesSeveral ? 0 : Math.max(0, options.findIndex(isPicked)),
    hint: [
      among ? "← → other question" : "",
      takesSeveral ? "Space tick" : "",
      options.length > 0 ? `1-${Math.min(9, options.length)} pick` : "",
      "↑ ↓ move · Enter choose · Esc stop",
    ]
      .filter(Boolean)
      .join(" · "),
  };
}

/** The questions of one card, those with an answer ticked. */
function tabLine({ at, headers, answers }: NonNullable<Poll["among"]>, theme: Theme): string {
  const names = headers.map((header, index) => {
    const name = `${(answers[index] ?? null) === null ? "" : "✓ "}${showInLine(header)}`;
    return index === at ? theme.paint("strong", `[${name}]`) : theme.paint("dim", ` ${name} `);
  });
  return names.join(" ");
}

type SummaryReview = Extract<CompactionState, { step: "review" }>;

export function reviewQuestion(on: Asking, review: SummaryReview, isTyping: boolean): Question {
  let { text } = review;
  const answer = (summary: string | null): void =>
    on.actions.send({ type: "review", id: review.id, text: summary });
  const edit = (): void => editText(on, text, (edited) => void (text = edited));
  return choiceQuestion(
    on,
    {
      title: "Review the summary",
      detail: (width) => wrapWords(showControls(text), width),
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
