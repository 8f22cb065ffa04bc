/** The panel or question that lies over the transcript, kept in step with the state. */

import type { Ask, CompactionState } from "../protocol/event.ts";
import type { Host } from "./host.ts";
import type { PanelModel } from "./panels/panel.ts";
import { permissionQuestion } from "./questions/permission.ts";
import type { Question } from "./questions/question.ts";
import { reviewQuestion } from "./questions/review.ts";
import type { Panel } from "./types.ts";

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
  #panel: { of: Panel; model: PanelModel } | null = null;
  #question: { of: Ask | CompactionState; model: Question } | null = null;

  constructor(host: Host, isTyping: () => boolean) {
    this.#host = host;
    this.#isTyping = isTyping;
  }

  get question(): Question | null {
    const { asks, compaction } = this.#host.state;
    const [ask] = asks;
    const review = compaction?.step === "review" ? compaction : null;
    const of = ask ?? review;
    if (this.#question?.of !== of) {
      const isTyping = this.#isTyping();
      this.#question =
        (ask && { of: ask, model: questionFor(this.#host, ask, isTyping) }) ??
        (review && { of: review, model: reviewQuestion(this.#host, review, isTyping) });
    }
    return this.#question?.model ?? null;
  }

  get panel(): PanelModel | null {
    const { panel } = this.#host.state;
    if (panel === null) this.#panel = null;
    else if (this.#panel?.of !== panel)
      this.#panel = { of: panel, model: panels().openPanel(this.#host, panel) };
    return this.#panel?.model ?? null;
  }

  /** What is drawn: a question covers any panel. */
  get top(): PanelModel | null {
    return this.question ?? this.panel;
  }
}
