/** Multiple-choice question from the agent: one of a card, or a plan to approve. */

import type { Ask, Poll } from "../../../protocol/event.ts";
import { wrapWords } from "../../painted-text.ts";
import { span } from "../../spans.ts";
import { layoutMarkdown } from "../../markdown/layout.ts";
import { Memo } from "../../memo.ts";
import { showControls, showInLine } from "../../sanitize.ts";
import type { Theme } from "../../theme.ts";
import {
  type Asking,
  askFor,
  type Choice,
  denial,
  type GiveAnswer,
  type QuestionParts,
} from "./question-model.ts";

export function pollParts(
  on: Asking,
  { detail }: Ask,
  { options, takesSeveral, editable, among }: NonNullable<Ask["poll"]>,
  answer: GiveAnswer,
): QuestionParts {
  const before = among?.answers[among.at] ?? "";
  const isPicked = ({ label }: { label: string }): boolean =>
    `, ${before}, `.includes(`, ${label}, `);
  const picked = new Set(options.filter(isPicked).map(({ label }) => label));
  const plan = new Memo<string[]>();
  let text = editable ?? "";

  function send(words: string): void {
    const input = { answer: words, ...(editable === undefined ? {} : { text }) };
    answer({ allow: true, scope: "once", input });
  }

  /** Keeps earlier ticks and picks. */
  function goTo(step: 1 | -1): void {
    const to = (among?.at ?? 0) + step;
    if (among?.headers[to] === undefined) return;
    const ticked = takesSeveral && picked.size > 0 ? { answer: [...picked].join(", ") } : {};
    answer({ allow: true, scope: "once", input: { goTo: to, ...ticked } });
  }

  const write = askFor("Your answer", "send", (words, askLine) =>
    words === "" ? askLine(null) : send([...picked, words].join(", ")),
  );
  const refuse = askFor("To change (optional)", "send", (words) => answer(denial(words)));

  const edit = (): void =>
    void on.actions
      .suspend(async () => void (text = await on.services.edit(text)))
      .then(on.store.redraw);

  const toggle = (label: string): void => void (picked.delete(label) || picked.add(label));
  const isPlan = editable !== undefined;
  const choices = [
    ...options.map(({ label, description }, at): Choice => {
      const words = showControls(label);
      return {
        ...(at < 9 && { key: String(at + 1) }),
        ...(description !== undefined && { about: showControls(description) }),
        needsAll: isPlan,
        get label() {
          return takesSeveral ? `${picked.has(label) ? "☑" : "☐"} ${words}` : words;
        },
        ...(takesSeveral && { toggle: () => toggle(label) }),
        take: () => (takesSeveral ? toggle(label) : send(label)),
      };
    }),
    takesSeveral && {
      label: "Submit",
      take: () => send([...picked].join(", ") || "None of these"),
    },
    isPlan && {
      key: "e",
      label: "Change it in your editor",
      take: edit,
    },
    isPlan
      ? { key: "n", label: "No, keep planning: say what to change", take: refuse }
      : { key: "w", label: "Type an answer…", take: write },
    !isPlan && { key: "n", label: "Skip", take: () => answer({ allow: false }) },
  ].filter((choice) => choice !== false);
  return {
    detail: (width) =>
      isPlan
        ? plan.get([text, width, on.store.theme], () =>
            layoutMarkdown(showControls(text), width, on.store.theme),
          )
        : [
            ...(among ? [tabLine(among, on.store.theme), ""] : []),
            ...wrapWords(showControls(detail), width),
          ],
    notes: () => (!isPlan || text === editable ? [] : [span("accent", "Changed by you.")]),
    choices,
    ...(among && {
      keys: { left: () => goTo(-1), right: () => goTo(1) },
      continues: among.at > 0 || among.answers.some((said) => said !== null),
    }),
    start: takesSeveral ? 0 : Math.max(0, options.findIndex(isPicked)),
    hint: [
      among ? "← → other question" : "",
      takesSeveral ? "Space tick" : "",
      options.length > 0 ? `1-${Math.min(9, options.length)} pick` : "",
      "↑ ↓ move · Enter choose · Esc stop",
    ]
      .filter(Boolean)
      .join(" · "),
  };
}

/** Tabs of a card, with answered questions ticked. */
function tabLine({ at, headers, answers }: NonNullable<Poll["among"]>, theme: Theme): string {
  const names = headers.map((header, index) => {
    const name = `${(answers[index] ?? null) === null ? "" : "✓ "}${showInLine(header)}`;
    return index === at ? theme.paint("strong", `[${name}]`) : theme.paint("dim", ` ${name} `);
  });
  return names.join(" ");
}
