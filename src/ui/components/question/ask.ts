/** The questions of the agent: permission for a call or a choice. */

import type { Ask } from "../../../protocol/event.ts";
import { permissionParts } from "./permission.ts";
import { pollParts } from "./poll.ts";
import { type Asking, choiceQuestion, type GiveAnswer, type Question } from "./question-model.ts";

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
