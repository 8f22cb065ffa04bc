/** The panel or question over the transcript; a question covers any panel. */

import { type DOMElement, measureElement } from "ink";
import { Memo } from "./memo.ts";
import { askQuestion } from "./components/question/ask.ts";
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
    /** Upper left corner of the overlay. */
    origin: { row: 0, column: 0 },
    /** Ref callback for the open panel's Box. */
    mountPanel: (box: DOMElement | null): void => void (panelBox = box),
    /** Ref callback for the part that line-based output prints. */
    mountText: (box: DOMElement | null): void => void (textBox = box),
    /** Height of the panel as laid out by Ink. */
    get panelRows(): number {
      return panelBox ? measureElement(panelBox).height : 0;
    },
    get panelText(): string[] {
      return textBox ? textOf(textBox) : [];
    },
    get question(): Question | null {
      const { asks, panel: open } = store.state;
      // A background question does not cover an open panel.
      const ask = asks.find(({ inBackground }) => !inBackground || open === null) ?? null;
      return question.get([ask], () => ask && askQuestion(shared, ask, isTyping()));
    },
  };
}
