/** The questions of the agent: permission for a call, a choice, the review of a summary. */

import type { Ask, CompactionState } from "../../../protocol/event.ts";
import { wrapWords } from "../../painted-text.ts";
import { span } from "../../spans.ts";
import { showControls } from "../../sanitize.ts";
import { permissionParts } from "./permission.ts";
import { pollParts } from "./poll.ts";
import {
  type Asking,
  choiceQuestion,
  editText,
  type GiveAnswer,
  type Question,
} from "./question-model.ts";

/** A poll or a permission request from the agent. */
export function askQuestion(on: Asking, ask: Ask, isTyping: boolean): Question {
  const { send } = on.actions;
  const { id, title, inBackground, poll } = ask;
  const answer: GiveAnswer = (given) => send({ type: "answer", id, answer: given });
  const parts = poll ? pollParts(on, ask, poll, answer) : permissionParts(on, ask, answer);
  const options = {
    title: inBackground ? `${title} (in the background)` : title,
    /** Stops the turn that waits for the answer, or denies if no turn waits. */
    onEscape: () => (inBackground ? answer({ allow: false }) : send({ type: "stop" })),
    ...parts,
  };
  return choiceQuestion(on, options, isTyping);
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
