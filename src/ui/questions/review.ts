/** A finished summary waits for approval: read it, edit it, use it, or discard it. */

import type { CompactionState } from "../../protocol/event.ts";
import type { Host } from "../host.ts";
import { span } from "../line.ts";
import { sanitize } from "../sanitize.ts";
import { wrapWords } from "../wrap.ts";
import { choiceQuestion, type Question } from "./question.ts";

type SummaryReview = Extract<CompactionState, { step: "review" }>;

export function reviewQuestion(host: Host, review: SummaryReview, isTyping: boolean): Question {
  let { text } = review;
  const answer = (summary: string | null): void =>
    host.send({ type: "review", id: review.id, text: summary });
  const edit = async (): Promise<void> => {
    await host.suspend(async () => void (text = await host.options.services.edit(text)));
    host.redraw();
  };
  return choiceQuestion(
    host,
    {
      title: "Review the summary",
      detail: (width) => wrapWords(sanitize(text), width),
      notes: () => (text === review.text ? [] : [span("accent", "Edited by you.")]),
      choices: [
        { key: "y", label: "Use this summary", take: () => answer(text) },
        { key: "e", label: "Edit it in your editor", take: () => void edit() },
        { key: "n", label: "Discard it and keep everything", take: () => answer(null) },
      ],
      onEscape: () => answer(null),
    },
    isTyping,
  );
}
