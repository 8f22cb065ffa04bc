/** Whether what a call needs is still in the view. */

import { standingInputs } from "../../context/tool-inputs.ts";
import type { View } from "../../context/types.ts";
import { textOf } from "../../protocol/block.ts";
import type { CutFact, EntryId } from "../../protocol/entry.ts";
import type { Dependency } from "./dependencies.ts";
import type { Retained } from "./replay-result.ts";
import { tellingWords, withoutLineNumbers } from "./texts.ts";

export class Retention {
  readonly #view: View;
  /** Results of which only a preview entered the history. */
  readonly #bounded = new Set<EntryId>();
  /** Answers with a shortened input. */
  readonly #shortened = new Set<EntryId>();
  /** Texts of the standing summaries, and their words. */
  #covers: { text: string; words: Set<string> }[] = [];
  readonly #restored = new Set<string>();
  /** Texts that were read again because they were missing. */
  readonly #reread = new Set<string>();

  constructor(view: View) {
    this.#view = view;
  }

  bound(id: EntryId): void {
    this.#bounded.add(id);
  }

  cut({ changes }: CutFact): void {
    this.#reread.clear();
    for (const change of changes) {
      if (change.kind === "input") this.#shortened.add(change.entry);
      if (change.kind !== "cover") continue;
      // Every summary of ours reaches from the first word, and so takes the one before it along.
      this.#covers = [{ text: change.text, words: tellingWords(change.text) }];
    }
  }

  /** Files that a summary shows again. */
  restore(paths: readonly string[]): void {
    this.#restored.clear();
    for (const path of paths) this.#restored.add(path);
  }

  /** Counts what is met; gives the number of files that have to be read again for an edit. */
  check(need: Dependency, kept: Retained): number {
    let lost = 0;
    for (const [edits, share] of [
      [need.edits, kept.edits],
      [need.patches, kept.patches],
    ] as const) {
      for (const { needle, path, sources } of edits) {
        share.all++;
        const again = path ?? sources.at(-1) ?? "";
        if (this.#holdsText(needle, sources)) share.met++;
        else if (!this.#reread.has(again)) {
          // Read again once, and then there: but only the view counts as kept.
          lost++;
          this.#reread.add(again);
        }
      }
    }
    for (const { path, source } of need.files) {
      kept.files.all++;
      if (this.#isWhole(source) || this.#restored.has(path)) kept.files.met++;
    }
    for (const { word, sources } of need.words) {
      kept.words.all++;
      if (this.#holdsWord(word, sources)) kept.words.met++;
    }
    return lost;
  }

  #isWhole(id: EntryId): boolean {
    const row = this.#row(id);
    return row?.shown === "whole" && !this.#bounded.has(id);
  }

  #holdsText(needle: string, sources: readonly EntryId[]): boolean {
    return (
      sources.some((id) => this.#isWhole(id) || this.#remains(id, needle)) ||
      this.#covers.some(({ text }) => text.includes(needle))
    );
  }

  #holdsWord(word: string, sources: readonly EntryId[]): boolean {
    return (
      sources.some((id) => this.#isWhole(id) || this.#remains(id, word)) ||
      this.#covers.some(({ words }) => words.has(word))
    );
  }

  /** In what is left of a cut or bounded entry. */
  #remains(id: EntryId, needle: string): boolean {
    const row = this.#row(id);
    if (!row || row.shown === "covered" || row.shown === "unsent") return false;
    const { entry } = row;
    if (entry.type === "result")
      return withoutLineNumbers(row.text ?? textOf(entry.content)).includes(needle);
    if (entry.type !== "assistant") return false;
    if (!this.#shortened.has(id)) return true;
    const inputs = standingInputs(this.#view);
    const quoted = JSON.stringify(needle).slice(1, -1);
    return entry.content.some((block) => {
      if (block.type === "text") return block.text.includes(needle);
      if (block.type !== "tool_use") return false;
      return JSON.stringify(inputs.get(block.id) ?? block.input).includes(quoted);
    });
  }

  #row(id: EntryId) {
    const index = this.#view.indexOf(id);
    return index === undefined ? undefined : this.#view.rows[index];
  }
}
