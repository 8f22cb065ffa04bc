/** The panel or question that covers the transcript, kept in step with the state. */

import { type Forecasting, forecastFor } from "./components/meter/live.ts";
import { Memo } from "./memo.ts";
import { panelHeight, type PanelModel, type PanelView } from "./panels/panel.ts";
import { panelHost } from "./panels/host.ts";
import { askQuestion, reviewQuestion } from "./components/question/ask.ts";
import type { Shared } from "./shared.ts";
import {
  type Question,
  questionHeight,
  type QuestionView,
} from "./components/question/question-model.ts";

/** The view that covers the transcript; a question covers any panel. */
export type OverlayView = PanelView | QuestionView;

export const overlayHeight = (view: OverlayView): number =>
  view.kind === "question" ? questionHeight(view) : panelHeight(view);

/** Only loaded for the first panel. */
const panels = (): typeof import("./panels/open-panel.ts") => require("./panels/open-panel.ts");

type Typing = Omit<Forecasting, "store"> & { prompt: { editor: { text: string } } };

export function overlay(shared: Shared, typing: Typing) {
  const { store } = shared;
  const host = panelHost(shared, () => forecastFor({ store, ...typing }).bySize?.atTokens ?? null);
  const isTyping = (): boolean => typing.prompt.editor.text !== "";
  const panel = new Memo<PanelModel | null>();
  const question = new Memo<Question | null>();
  return {
    origin: { row: 0, column: 0 },
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
    get panel(): PanelModel | null {
      const { panel: open } = store.state;
      return panel.get([open], () => open && panels().openPanel(host, open));
    },
    get top(): PanelModel | Question | null {
      return this.question ?? this.panel;
    },
  };
}
