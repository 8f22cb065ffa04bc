import { type ReactNode, useMemo, useState } from "react";
import { viewText } from "../../../context/evidence.ts";
import { countKept, type Rule, sessionRules } from "../../../context/summary/rules.ts";
import { fit } from "../../painted-text.ts";
import { span } from "../../spans.ts";
import { sanitizeLine } from "../../sanitize.ts";
import { useActions, useStore } from "../../screen-context.ts";
import { ListPanel } from "../list-panel.tsx";
import { useTabs } from "./tabs.ts";

/** The session's rules, which every summary keeps word for word. */
export function RulesPanel({ argument: query }: { argument: string }): ReactNode {
  const { view } = useStore();
  const { send } = useActions();
  const tabs = useTabs("rules");
  const [isAdding, setAdding] = useState(false);
  const rules = useMemo(() => sessionRules(view), [view, view.version]);
  const kept = useMemo(() => countKept(rules, viewText(view)).kept, [rules]);
  const end = (is: "removed" | "done") => (rule: Rule | undefined) =>
    rule && send({ type: "rule", text: rule.text, is });
  return (
    <ListPanel
      tabs={tabs}
      title={
        rules.length === 0 ? "Rules" : `Rules: ${kept} of ${rules.length} in view, word for word`
      }
      hint="a add · x remove · d done · / filter · Tab next view · Esc close"
      empty="No rules yet: what you say to do always, or never, is kept here."
      items={rules}
      lines={ruleLines}
      footer={(rule, columns) =>
        rule ? [span("dim", fit(rule.file ?? "You said it.", columns))] : []
      }
      filter="slash"
      query={query}
      label="Filter"
      onChoose={() => undefined}
      keys={{ a: () => setAdding(true), x: end("removed"), d: end("done") }}
      asked={
        isAdding && {
          label: "Rule: ",
          placeholder: "never commit without asking",
          hint: "Enter add · Esc back",
          onEnter(text) {
            setAdding(false);
            if (text !== "") send({ type: "rule", text, is: "added" });
          },
          onEscape: () => setAdding(false),
        }
      }
    />
  );
}

function ruleLines({ number, text, file }: Rule, columns: number): string[] {
  const source = file === null ? "" : `  (${sanitizeLine(file)})`;
  return [fit(`${String(number).padStart(3)}  ${sanitizeLine(text)}${source}`, columns)];
}
