/** The panel or question that covers the transcript, kept in step with the state. */

import type { Ask } from "../protocol/event.ts";
import type { Host } from "./host.ts";
import { Memo } from "./memo.ts";
import type { PanelModel } from "./panels/panel.ts";
import { permissionQuestion } from "./questions/permission.ts";
import type { Question } from "./questions/question.ts";
import { reviewQuestion } from "./questions/review.ts";

/** Only loaded for the first form. */
const forms = (): typeof import("./questions/form.ts") => require("./questions/form.ts");

const questionFor = (host: Host, ask: Ask, isTyping: boolean): Question =>
  ask.form
    ? forms().formQuestion(host, { ...ask, form: ask.form }, isTyping)
    : permissionQuestion(host, ask, isTyping);

/** Only loaded for the first panel. */
const panels = (): typeof import("./panels/open-panel.ts") => require("./panels/open-panel.ts");

export class Overlay {
  readonly #host: Host;
  readonly #isTyping: () => boolean;
  /** Where it was drawn on the screen. */
  origin = { row: 0, column: 0 };
  readonly #panel = new Memo<PanelModel | null>();
  readonly #question = new Memo<Question | null>();

  constructor(host: Host, isTyping: () => boolean) {
    this.#host = host;
    this.#isTyping = isTyping;
  }

  get question(): Question | null {
    const { asks, compaction } = this.#host.state;
    const [ask = null] = asks;
    const review = compaction?.step === "review" ? compaction : null;
    return this.#question.get([ask ?? review], () => {
      const isTyping = this.#isTyping();
      if (ask) return questionFor(this.#host, ask, isTyping);
      return review && reviewQuestion(this.#host, review, isTyping);
    });
  }

  get panel(): PanelModel | null {
    const { panel } = this.#host.state;
    return this.#panel.get([panel], () => panel && panels().openPanel(this.#host, panel));
  }

  /** What is drawn: a question covers any panel. */
  get top(): PanelModel | null {
    return this.question ?? this.panel;
  }
}
