/** Permission request: the effects of the call, and the scopes in which it can be allowed. */

import type { Ask } from "../../../protocol/event.ts";
import { highlight } from "../../code/highlight.ts";
import { fit, wrapAnywhere, wrapWords } from "../../painted-text.ts";
import { type Line, span, wrapSpans } from "../../spans.ts";
import { Memo } from "../../memo.ts";
import { showControls, showInLine } from "../../sanitize.ts";
import type { Theme } from "../../theme.ts";
import { diffLines, isDiff } from "../../transcript/diff-lines.ts";
import { homePath } from "../../transcript/format.ts";
import {
  type Asking,
  askFor,
  type Choice,
  denial,
  type GiveAnswer,
  type QuestionParts,
} from "./question-model.ts";

export function permissionParts(on: Asking, ask: Ask, answer: GiveAnswer): QuestionParts {
  const memo = new Memo<string[]>();
  const allow = (scope: "once" | "session" | "always", label: string): Choice => ({
    label,
    needsAll: true,
    take: () => answer({ allow: true, scope }),
  });
  const { rule, always, warning } = ask;
  const deny: Choice = {
    key: "n",
    label: "Deny, and tell the agent why",
    take: askFor("Reason (optional)", "deny", (words) => answer(denial(words))),
  };
  const choices = [
    { key: "y", ...allow("once", "Allow once") },
    rule !== null && allow("session", `Allow for this session: ${showInLine(rule)}`),
    ask.offersAuto === true && {
      key: "a",
      label: "Allow, and run sandboxed, undoable commands without asking (auto)",
      needsAll: true,
      take() {
        on.actions.send({ type: "mode", mode: "auto" });
        answer({ allow: true, scope: "once" });
      },
    },
    always !== undefined && allow("always", alwaysLabel(always)),
    deny,
  ].filter((choice) => choice !== false);
  return {
    detail: (width) =>
      memo.get([width, on.store.theme], () => detailLines(ask, width, on.store.theme)),
    notes: (width) => noteLines(ask, width),
    choices,
    start: warning === undefined ? 0 : choices.length - 1,
  };
}

const alwaysLabel = ({ rule, file }: NonNullable<Ask["always"]>): string =>
  `Allow always: adds ${showInLine(rule)} to ${showControls(homePath(file))}`;

function detailLines({ detail, detailKind }: Ask, width: number, theme: Theme): string[] {
  const text = showControls(detail).trimEnd();
  if (text === "") return [];
  if (detailKind === "diff" && isDiff(text)) return diffLines(text, { width, theme }, Infinity);
  if (detailKind !== "command") return wrapAnywhere(text, width);
  return highlight(text, "bash", theme).flatMap((line) => wrapAnywhere(line, width));
}

const maxWords = 2;

function noteLines({ warning, access, description }: Ask, width: number): Line[] {
  const said = showControls(description ?? "").replaceAll("\n", " ");
  const words = said === "" ? [] : wrapWords(`The agent says: ${said}`, width);
  return [
    ...wrapSpans("bad", warning === undefined ? "" : `Warning: ${showInLine(warning)}`, width),
    ...wrapSpans("warning", showInLine(access ?? ""), width),
    ...words.slice(0, maxWords).map((line, at) => {
      const isCut = at === maxWords - 1 && words.length > maxWords;
      return span("dim", isCut ? fit(`${line} …`, width) : line);
    }),
  ];
}
