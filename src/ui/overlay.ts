/** The panel or question over the transcript; a question covers any panel. */

import { type DOMElement, measureElement } from "ink";
import type { Ask } from "../protocol/event.ts";
import { permissionParts } from "./components/question/permission.ts";
import { pollParts } from "./components/question/poll.ts";
import {
  choiceQuestion,
  type GiveAnswer,
  type Question,
} from "./components/question/question-model.ts";
import { Memo } from "./memo.ts";
import type { Shared } from "./shared.ts";

/** The lines of a panel, without the field that filters them. */
const textOf = (node: DOMElement): string[] =>
  node.childNodes.flatMap((child) => {
    if (child.nodeName === "#text") return [child.nodeValue];
    if (child.internal_accessibility?.role === "textbox") return [];
    return child.nodeName === "ink-text" ? [textOf(child).join("").trimEnd()] : textOf(child);
  });

/** A poll or a permission request from the agent. */
function askQuestion(on: Shared, ask: Ask, isTyping: boolean): Question {
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
