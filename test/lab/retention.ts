/** Measures whether what recorded calls needed was still in the view. */

import { findInstructions, normal } from "../../src/context/summary/rules.ts";
import type { View } from "../../src/context/types.ts";
import { blockText } from "../../src/protocol/block.ts";
import type { CutFact, Entry, EntryId } from "../../src/protocol/entry.ts";
import { tellingWords, withoutLineNumbers, type Dependency } from "./dependencies.ts";
import type { Retained } from "./replay-result.ts";

/** What a call has to read again: a file, or an entry by `recall`. */
export type Reread = { path: string | null; source: EntryId };

/** A call that lost this many names reads them again. */
const fewestNames = 2;

export class Retention {
  readonly #view: View;
  /** Results of which only a preview entered the history. */
  readonly previews = new Set<EntryId>();
  /** Answers with a shortened input. */
  readonly #shortened = new Set<EntryId>();
  /** The active summary and its words. */
  #summary: { text: string; words: Set<string> } | null = null;
  /** Files that the summary shows in full. */
  shownFiles: ReadonlySet<string> = new Set();
  /** The user's messages and standing rules, and those of them that the latest cut left out of view. */
  readonly #said: { id: EntryId; text: string; rules: string[] }[] = [];
  #unseen = { messages: 0, rules: 0 };
  #rules = 0;
  /** What was read again since the last cut. */
  readonly #reread = new Set<string>();

  constructor(view: View) {
    this.#view = view;
  }

  /** Follows the user's messages. */
  heard(entry: Entry): void {
    if (entry.type !== "user") return;
    const text = blockText(entry.content).trim();
    if (text === "") return;
    const rules = findInstructions([{ entry: entry.id, text }])
      .filter(({ standing }) => standing)
      .map((rule) => normal(rule.text));
    this.#said.push({ id: entry.id, text, rules });
    this.#rules += rules.length;
  }

  cut({ changes }: CutFact): void {
    this.#reread.clear();
    for (const change of changes) {
      if (change.kind === "input") this.#shortened.add(change.entry);
      // Every summary here covers the one before it.
      if (change.kind !== "cover") continue;
      const text = `${change.text}\n${change.kept ?? ""}`;
      this.#summary = { text, words: tellingWords(text) };
    }
    this.#unseen = { messages: 0, rules: 0 };
    const held = normal(this.#summary?.text ?? "");
    for (const { id, text, rules } of this.#said) {
      const row = this.#row(id);
      if (row?.shown === "whole") continue;
      const shown = normal(row?.text ?? "");
      if (!this.#summary?.text.includes(text)) this.#unseen.messages++;
      this.#unseen.rules += rules.filter(
        (rule) => !held.includes(rule) && !shown.includes(rule),
      ).length;
    }
  }

  #countSaid({ rules, messages }: Retained): void {
    rules.all += this.#rules;
    rules.met += this.#rules - this.#unseen.rules;
    messages.all += this.#said.length;
    messages.met += this.#said.length - this.#unseen.messages;
  }

  /**
   * Counts what the call needs and still has. Returns what it has to read again. What was read again
   * is not charged twice, but only the view counts as kept.
   */
  check(need: Dependency, kept: Retained): Reread[] {
    this.#countSaid(kept);
    const texts = [kept.edits, kept.patches, kept.words];
    const missing = (): number => texts.reduce((sum, { met, all }) => sum + all - met, 0);
    const before = missing();
    const rereads: Reread[] = [];
    const readAgain = (key: string, reread: Reread): void => {
      if (this.#reread.has(key)) return;
      this.#reread.add(key);
      rereads.push(reread);
    };
    for (const [edits, share] of [
      [need.edits, kept.edits],
      [need.patches, kept.patches],
    ] as const) {
      for (const { needle, path, sources } of edits) {
        share.all++;
        const source = sources.at(-1) ?? "";
        if (this.#holds(needle, sources) || this.#summary?.text.includes(needle)) share.met++;
        else readAgain(path ?? source, { path, source });
      }
    }
    for (const { path, source } of need.files) {
      kept.files.all++;
      if (this.#isWhole(source) || this.shownFiles.has(path)) kept.files.met++;
    }
    const lost: EntryId[] = [];
    for (const { word, sources } of need.words) {
      kept.words.all++;
      if (this.#holds(word, sources) || this.#summary?.words.has(word)) kept.words.met++;
      else if (!sources.some((id) => this.#reread.has(id))) lost.push(sources.at(-1) ?? "");
    }
    const [source] = lost;
    if (lost.length >= fewestNames && source !== undefined)
      readAgain(source, { path: null, source });
    const { edits, patches, words } = need;
    if (edits.length + patches.length + words.length > 0) {
      kept.derivable.all++;
      if (missing() === before) kept.derivable.met++;
    }
    return rereads;
  }

  #isWhole(id: EntryId): boolean {
    const row = this.#row(id);
    return row?.shown === "whole" && !this.previews.has(id);
  }

  #holds(needle: string, sources: readonly EntryId[]): boolean {
    return sources.some((id) => this.#isWhole(id) || this.#remains(id, needle));
  }

  /** Whether what is left of a cut entry or a preview holds the text. */
  #remains(id: EntryId, needle: string): boolean {
    const row = this.#row(id);
    if (!row || row.shown === "covered" || row.shown === "unsent") return false;
    const { entry } = row;
    if (entry.type === "result")
      return withoutLineNumbers(row.text ?? blockText(entry.content)).includes(needle);
    if (entry.type !== "assistant") return false;
    if (!this.#shortened.has(id)) return true;
    const quoted = JSON.stringify(needle).slice(1, -1);
    return entry.content.some((block) => {
      if (block.type === "text") return block.text.includes(needle);
      if (block.type !== "tool_use") return false;
      return JSON.stringify(row.inputs?.get(block.id) ?? block.input).includes(quoted);
    });
  }

  #row(id: EntryId) {
    const index = this.#view.indexOf(id);
    return index === undefined ? undefined : this.#view.rows[index];
  }
}
