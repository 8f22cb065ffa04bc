/** Asks for permission before a tool call. */

import type { Answer } from "../../protocol/command.ts";
import type { Ask } from "../../protocol/event.ts";
import { FieldModel } from "../field.ts";
import type { Host } from "../host.ts";
import { span, type Line } from "../line.ts";
import { highlight } from "../code/highlight.ts";
import { Memo } from "../memo.ts";
import { showControls } from "../sanitize.ts";
import { homePath } from "../start/home-path.ts";
import { diffLines, isDiff } from "../transcript/diff-lines.ts";
import { wrapAnywhere, wrapWords } from "../wrap.ts";
import { choiceQuestion, type Choice, type Question } from "./question.ts";

export function permissionQuestion(host: Host, ask: Ask, isTyping: boolean): Question {
  const memo = new Memo<string[]>();
  const answer = (given: Answer): void => host.send({ type: "answer", id: ask.id, answer: given });
  const deny = (reason: string): void =>
    answer({ allow: false, ...(reason === "" ? {} : { reason }) });
  const allow = (scope: "once" | "session" | "always", label: string): Choice => ({
    label,
    needsAll: true,
    take: () => answer({ allow: true, scope }),
  });
  const reason = {
    label: "Reason (optional): ",
    hint: "Enter deny · Esc back",
    input: new FieldModel("", host.redraw),
    onEnter: deny,
  };
  const { rule, always, warning } = ask;
  const choices: Choice[] = [
    { key: "y", ...allow("once", "Allow once") },
    ...(rule === null ? [] : [allow("session", `Allow for this session: ${showControls(rule)}`)]),
    ...(ask.offersAuto
      ? [
          {
            key: "a",
            label: "Allow, and run what is confined and can be undone without asking (mode auto)",
            needsAll: true,
            take: () => {
              host.send({ type: "mode", mode: "auto" });
              answer({ allow: true, scope: "once" });
            },
          },
        ]
      : []),
    ...(always === undefined ? [] : [allow("always", alwaysLabel(always))]),
    { key: "n", label: "Deny, and tell the agent why", take: () => question.askLine(reason) },
  ];
  const question: Question = choiceQuestion(
    host,
    {
      title: showControls(ask.title),
      detail: (width) => memo.get([width, host.theme], () => detailLines(ask, width, host)),
      notes: (width) => noteLines(ask, width),
      choices,
      start: warning === undefined ? 0 : choices.length - 1,
      onEscape: () => host.send({ type: "stop" }),
    },
    isTyping,
  );
  return question;
}

const alwaysLabel = ({ rule, file }: NonNullable<Ask["always"]>): string =>
  `Allow always: adds ${showControls(rule)} to ${showControls(homePath(file))}`;

function detailLines({ detail, detailKind }: Ask, width: number, { theme }: Host): string[] {
  const text = showControls(detail).trimEnd();
  if (text === "") return [];
  if (detailKind === "diff" && isDiff(text)) return diffLines(text, { width, theme }, Infinity);
  if (detailKind !== "command") return wrapAnywhere(text, width);
  return highlight(text, "bash", theme).flatMap((line) => wrapAnywhere(line, width));
}

/** Most lines shown of the agent's own words. */
const maxWords = 2;

function noteLines({ warning, access, description }: Ask, width: number): Line[] {
  const said = showControls(description ?? "").replaceAll("\n", " ");
  const warned = warning === undefined ? [] : wrapWords(`Warning: ${showControls(warning)}`, width);
  const granted = access === undefined ? [] : wrapWords(showControls(access), width);
  const words = said === "" ? [] : wrapWords(`The agent says: ${said}`, width);
  return [
    ...warned.map((line) => span("bad", line)),
    ...granted.map((line) => span("warning", line)),
    ...words.slice(0, maxWords).map((line) => span("dim", line)),
  ];
}
