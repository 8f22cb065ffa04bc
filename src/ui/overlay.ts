/** What covers the transcript: a panel, and over any panel a question. */

import { type DOMElement, measureElement } from "ink";
import { Memo } from "./memo.ts";
import { askQuestion, reviewQuestion } from "./components/question/ask.ts";
import type { Question } from "./components/question/question-model.ts";
import type { Shared } from "./shared.ts";

/** The lines of a panel, without the field that filters them. */
const textOf = (node: DOMElement): string[] =>
  node.childNodes.flatMap((child) => {
    if (child.nodeName === "#text") return [child.nodeValue];
    if (child.internal_accessibility?.role === "textbox") return [];
    return child.nodeName === "ink-text" ? [textOf(child).join("").trimEnd()] : textOf(child);
  });

/** `isTyping`: the prompt has text. */
export function overlay(shared: Shared, isTyping: () => boolean) {
  const { store } = shared;
  const question = new Memo<Question | null>();
  let panelBox: DOMElement | null = null;
  let textBox: DOMElement | null = null;
  return {
    /** Its upper left corner. */
    origin: { row: 0, column: 0 },
    /** Takes the Box of the open panel. */
    mountPanel: (box: DOMElement | null): void => void (panelBox = box),
    /** Takes the part of it that is said where nothing can be drawn twice. */
    mountText: (box: DOMElement | null): void => void (textBox = box),
    /** The rows that the panel takes, as Ink has laid it out. */
    get panelRows(): number {
      return panelBox ? measureElement(panelBox).height : 0;
    },
    get panelText(): string[] {
      return textBox ? textOf(textBox) : [];
    },
    get question(): Question | null {
      const { asks, compaction, panel: open } = store.state;
      // A question that no turn waits for leaves an open panel alone.
      const ask = asks.find(({ inBackground }) => !inBackground || open === null) ?? null;
      const review = compaction?.step === "review" ? compaction : null;
      return question.get([ask ?? review], () => {
        if (ask) return askQuestion(shared, ask, isTyping());
        return review && reviewQuestion(shared, review, isTyping());
      });
    },
  };
}
