import { type ReactNode, useMemo, useState } from "react";
import { clearPlan, summaryPlan, whyNoSummary } from "../../context/ladder.ts";
import type { Plan, Signals } from "../../context/types.ts";
import { rowCounter } from "../../context/view/row-tokens.ts";
import { Rows } from "../components/line.tsx";
import { toChord } from "../keys.ts";
import { firstThatFits, fit, wrapWords } from "../painted-text.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useActions, useStore } from "../screen-context.ts";
import { type Line, span } from "../spans.ts";
import { useKeys } from "../use-keys.ts";
import { type CompactPreview, previewPlan } from "./compact-preview.ts";
import { ListPanel } from "./list-panel.tsx";
import { PanelBox } from "./panel-box.tsx";

type CompactChoice = {
  how: "clear" | "summarize";
  /** Use the session's model instead of the configured summarizer. */
  ownModel?: true;
  preview: CompactPreview;
};

/** Previews the compactions that are possible now. */
export function CompactPanel({ argument: focus }: { argument: string }): ReactNode {
  const store = useStore();
  const { view, reading, rules, policy, state } = store;
  const { send, show, notify, setPrompt } = useActions();
  const [words, setWords] = useState(focus);
  const skipReady = words.trim() !== "";
  const choices = useMemo(
    () => listChoices(store, skipReady),
    [view, view.version, rules, policy, reading.cache.state, skipReady],
  );
  if (choices.length === 0) return <NothingToCompact />;
  const best = preselect(choices);
  const isIdle = state.phase === "idle";
  const start = ({ how, ownModel }: CompactChoice): void => {
    const wanted = sanitizeLine(words.trim());
    const focused = how === "summarize" && wanted !== "" ? { focus: wanted } : {};
    send({ type: "compact", how, trigger: "key", ...focused, ...(ownModel && { ownModel }) });
    if (!isIdle) notify("Will compact when this turn ends.");
  };
  return (
    <ListPanel
      title="Compact"
      hint={`↑ ↓ choose · Enter compact ${isIdle ? "" : "when this turn ends "}· Esc cancel`}
      items={choices}
      lines={({ preview }, columns) => [`  ${firstThatFits(preview.sentences, columns - 2)}`]}
      footer={(choice, columns) =>
        choice ? describe(choice, columns, choices.length > 1 && choices[best] === choice) : []
      }
      label="Focus"
      placeholder="what a summary must keep (optional)"
      query={focus}
      isFiltered
      onFilter={setWords}
      // Only a summary uses the focus.
      start={words === "" ? best : 0}
      keys={{
        tab: (_, list) => list.turn(1),
        "shift+tab": (_, list) => list.turn(-1),
        escape() {
          show(null);
          // Keep the typed focus.
          if (words.trim() !== "") setPrompt(`/compact ${words.trim()}`);
        },
      }}
      closes
      onChoose={start}
    />
  );
}

/** Every key closes this panel; all but Escape then act as in the prompt. */
function NothingToCompact(): ReactNode {
  const store = useStore();
  const { show } = useActions();
  useKeys((event) => {
    if (event.type !== "mouse") show(null);
    return toChord(event) === "escape";
  }, "panel");
  return (
    <PanelBox title="Compact" hint="Esc close">
      <Rows lines={[whyNoSummary(store)]} />
    </PanelBox>
  );
}

function listChoices(now: Signals, skipReady: boolean): CompactChoice[] {
  const { view, reading, rules, policy } = now;
  const tokens = rowCounter(view, rules);
  const { summarizer, ...own } = rules;
  type Choice = Omit<CompactChoice, "preview">;
  const offer = (choice: Choice, plan: Plan | null, by?: string): CompactChoice[] =>
    plan ? [{ ...choice, preview: previewPlan(plan, now, tokens, by) }] : [];
  const summary = summaryPlan(now, undefined, { skipReady });
  const byOwn = summarizer
    ? summaryPlan({ view, reading, policy, rules: own }, undefined, { skipReady: true })
    : null;
  return [
    ...offer({ how: "summarize" }, summary, summarizer?.model),
    ...offer({ how: "summarize", ownModel: true }, byOwn, own.model),
    ...offer({ how: "clear" }, clearPlan(now)),
  ];
}

/** Most important lines first: few rows cut off the end. */
function describe({ how, preview }: CompactChoice, columns: number, isBest: boolean): Line[] {
  const { cache, kept, removed, largest } = preview;
  const sentences = [isBest ? whyFirst[how] : "", kept, cache, removed].filter(Boolean);
  const lines = sentences.flatMap((sentence) => wrapWords(sentence, columns - 2));
  return [...lines, ...largest].map((line) => span("dim", fit(`  ${line}`, columns)));
}

/** The choice that loses nothing, if it frees as much as a summary; otherwise the summary. */
function preselect(choices: readonly CompactChoice[]): number {
  const [first] = choices;
  const clear = choices.findIndex(({ how }) => how === "clear");
  const freesAsMuch = (choices[clear]?.preview.freed ?? 0) >= (first?.preview.freed ?? 0);
  return clear >= 0 && freesAsMuch ? clear : 0;
}

const whyFirst = {
  clear:
    "Preselected: it frees at least as much as a summary, and every word of the conversation stays.",
  summarize: "Preselected: it frees the most.",
} as const;
