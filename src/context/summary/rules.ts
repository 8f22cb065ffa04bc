/** The rules of a session: how the user wants the work done, found in the log without a model. */

import { blockText } from "../../protocol/block.ts";
import type { EntryId } from "../../protocol/entry.ts";
import type { View } from "../types.ts";
import { standingContext } from "../view/standing-context.ts";
import { wholeRange } from "../view/rows.ts";
import { findInstructions, listUserMessages, normal, type Instruction } from "./instructions.ts";

export type Rule = {
  /** From 1, in the order in which they were said. */
  readonly number: number;
  readonly text: string;
  readonly entry: EntryId;
  /** The instructions file, or null: the user said it. */
  readonly file: string | null;
};

/** Longer messages are pasted documents, whose sentences are not the user's own rules. */
const typedChars = 4_000;

/** A longer sentence explains more than it rules. */
const ruleChars = 300;

const isRule = (found: Instruction): boolean => found.isRule && found.text.length <= ruleChars;

type Found = Omit<Rule, "number">;

/** Those that apply: said or added by the user, and in the instruction files as they are now; each once. */
export function sessionRules(view: View): Rule[] {
  const ended = new Set<string>();
  const added: Found[] = [];
  for (const { entry } of view.rows) {
    if (entry.type !== "rule") continue;
    const key = normal(entry.text);
    if (entry.is !== "added") ended.add(key);
    else {
      ended.delete(key);
      added.push({ text: entry.text, entry: entry.id, file: null });
    }
  }
  const typed = listUserMessages(wholeRange(view)).filter(({ text }) => text.length <= typedChars);
  const said = findInstructions(typed).filter(isRule);
  const inFiles = standingContext(wholeRange(view))
    .filter(({ kind }) => kind === "instructions")
    .flatMap(({ id, title, content }) =>
      findInstructions([{ entry: id, text: blockText(content) }])
        .filter(isRule)
        .map(({ text }): Found => ({ text, entry: id, file: title })),
    );
  const seen = new Set<string>();
  return [...inFiles, ...said.map((rule): Found => ({ ...rule, file: null })), ...added]
    .filter(({ text }) => {
      const key = normal(text);
      if (key === "" || seen.has(key) || ended.has(key)) return false;
      seen.add(key);
      return true;
    })
    .map(({ text, entry, file }, index) => ({ number: index + 1, text, entry, file }));
}

/** How many of the rules a text holds word for word. */
export function countKept(rules: readonly Rule[], text: string): { kept: number; all: number } {
  const held = ` ${normal(text)} `;
  const kept = rules.filter((rule) => held.includes(` ${normal(rule.text)} `)).length;
  return { kept, all: rules.length };
}

/** As an instruction that a summary must not drop. */
export const asInstruction = ({ text, entry }: Rule): Instruction => ({
  text,
  entry,
  standing: true,
  isRule: true,
  isOwn: true,
});
