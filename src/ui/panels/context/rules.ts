/** The rules of the session: those that every summary keeps, word for word. */

import { countKept, sessionRules, type Rule } from "../../../context/summary/rules.ts";
import { viewText } from "../../../context/evidence.ts";
import type { Host } from "../host.ts";
import { fit, span } from "../../line.ts";
import { Memo } from "../../memo.ts";
import { sanitizeLine } from "../../sanitize.ts";
import { listPanel, type ListPanel } from "../list-panel.ts";
import type { PanelModel } from "../panel.ts";

export function rulesPanel(host: Host, query: string): PanelModel {
  const memo = new Memo<{ rules: Rule[]; kept: number }>();
  const now = () =>
    memo.get([host.view, host.view.version], () => {
      const rules = sessionRules(host.view);
      return { rules, kept: countKept(rules, viewText(host.view)).kept };
    });
  const end = (is: "removed" | "done") => (rule: Rule | undefined) => {
    if (rule) host.send({ type: "rule", text: rule.text, is });
  };
  const list: ListPanel = listPanel<Rule>(host, {
    filter: "slash",
    query,
    label: "Filter",
    title: () =>
      now().rules.length === 0
        ? "Rules"
        : `Rules: ${now().kept} of ${now().rules.length} in view, word for word`,
    hint: "a add · x remove · d done · / filter · Tab next view · Esc close",
    empty: "No rules yet: what you say to do always, or never, is kept here.",
    items: () => now().rules,
    lines: ({ number, text, file }, columns) => {
      const source = file === null ? "" : `  (${sanitizeLine(file)})`;
      return [fit(`${String(number).padStart(3)}  ${sanitizeLine(text)}${source}`, columns)];
    },
    footer: (rule, columns) =>
      rule ? [span("dim", fit(rule.file ?? "You said it.", columns))] : [],
    onChoose: () => undefined,
    keys: {
      a: () =>
        list.ask({
          label: "Rule: ",
          placeholder: "never commit without asking",
          hint: "Enter add · Esc back",
          onEnter(text) {
            list.ask(null);
            if (text !== "") host.send({ type: "rule", text, is: "added" });
          },
        }),
      x: end("removed"),
      d: end("done"),
    },
  });
  return list;
}
