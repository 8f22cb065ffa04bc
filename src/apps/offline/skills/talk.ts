import type { Skill } from "../skill.ts";
import { bullets, clip } from "../text.ts";
import { argument, callsSoFar } from "../turn.ts";
import { pathsSoFar } from "./each.ts";

/** Questions about the conversation itself. */
export const recollect: Skill = (turn) => {
  const { question, earlier } = turn;
  if (
    /\bwhat (?:did|have|was) (?:I|my)\b.*\b(?:ask|asked|say|said|want|tell|told|question)/i.test(
      question,
    )
  ) {
    if (earlier.length === 0) return { say: "This is your first question in what I can see." };
    const first = /\bfirst\b/i.test(question);
    const last = /\b(?:last|before|just|previous)\b/i.test(question);
    const start = last ? earlier.length - 1 : 0;
    const which = first ? earlier.slice(0, 1) : earlier.slice(start);
    const lines = which.map((text, at) => `${start + at + 1}. ${clip(text, 200)}`);
    return { say: `You asked:\n${lines.join("\n")}` };
  }
  if (/\b(?:what|which) files (?:did|have) (?:we|you|i)\b/i.test(question)) {
    const changedOnly =
      /\b(?:change|changed|edit|edited|write|written|wrote|create|created)\b/i.test(question);
    const files = changedOnly ? changedSoFar(turn) : pathsSoFar(turn);
    if (files.length === 0) return { say: "None so far." };
    const did = changedOnly ? "We changed" : "We looked at";
    return { say: `${did}:\n${bullets(files.map((path) => `\`${path}\``))}` };
  }
  if (/\b(?:what|which) commands? (?:did|have) (?:we|you|i)\b/i.test(question)) {
    const ran = callsSoFar(turn).filter(({ tool }) => tool === "bash");
    if (ran.length === 0) return { say: "None so far." };
    const lines = ran.map(
      (step) =>
        `\`${clip(argument(step, "command"), 100)}\`: ${step.failed ? "failed" : "ended well"}`,
    );
    return { say: `We ran:\n${bullets(lines)}` };
  }
  return null;
};

const changedSoFar: (turn: Parameters<Skill>[0]) => string[] = (turn) => [
  ...new Set([
    ...turn.summarised.changed,
    ...callsSoFar(turn)
      .filter(({ tool, failed }) => !failed && (tool === "edit_file" || tool === "write_file"))
      .map((step) => argument(step, "path")),
  ]),
];
