/** A line of text that the user types into, such as a filter, a focus or a key; edited by ink-text-input. */

import { graphemes } from "../base/clip.ts";
import { sanitizeLine } from "./sanitize.ts";

/** A field as it is shown. Two views of the same field have the same model. */
export type FieldView = {
  readonly field: FieldModel;
  readonly label: string;
  readonly placeholder: string;
  readonly mask?: string;
};

/** The first and the last of the private characters that stand for longer ones. */
const firstCell = 0xe000;
const lastCell = 0xf8ff;

/**
 * The value is kept in cells: ink-text-input counts UTF-16 units, so that every character as people
 * see it (an emoji, a letter with its accents) is one unit here, a private one if it has more.
 */
export class FieldModel {
  /** Where ink-text-input has its cursor, in cells. */
  cursor = 0;
  /** Another edition is edited from its end, by another `<TextInput>`. */
  shown = { cells: "", edition: 0 };
  /** The characters that private units stand for, from `firstCell` on. */
  readonly #characters: string[] = [];
  readonly #changed: (value: string) => void;
  readonly #listeners = new Set<() => void>();

  constructor(value = "", changed: (value: string) => void = () => {}) {
    this.#begin(this.toCells(sanitizeLine(value)));
    this.#changed = changed;
  }

  /** Its component, which subscribes after `<TextInput>` has begun to listen, can be given keys. */
  get isMounted(): boolean {
    return this.#listeners.size > 0;
  }

  get value(): string {
    return this.toText(this.cells);
  }

  get cells(): string {
    return this.shown.cells;
  }

  /** Takes the cells as the user has edited them. */
  edit(cells: string): void {
    const text = this.toText(cells);
    const clean = sanitizeLine(text);
    const next = clean === text ? cells : this.toCells(clean);
    if (next === this.cells) return;
    this.#show(next);
    this.#changed(clean);
  }

  /** Sets the cells, with the cursor between the two parts: `commit` mounts the edition that ends there. */
  place(before: string, after: string, commit: () => void): void {
    const { cells } = this;
    this.#begin(before);
    if (after !== "") {
      commit();
      this.#show(before + after);
    }
    if (this.cells !== cells) this.#changed(this.value);
  }

  #begin(cells: string): void {
    this.cursor = cells.length;
    this.#show(cells, this.shown.edition + 1);
  }

  #show(cells: string, edition = this.shown.edition): void {
    this.shown = { cells, edition };
    // As ink-text-input does it.
    if (this.cursor >= cells.length) this.cursor = cells.length;
    // The screen follows at once, not with the next frame: the next key edits what is shown.
    for (const listener of this.#listeners) listener();
  }

  toCells(text: string): string {
    let cells = "";
    for (const { segment } of graphemes(text)) cells += this.#cellFor(segment);
    return cells;
  }

  toText(cells: string): string {
    const decode = (cell: string): string => this.#characters[cell.charCodeAt(0) - firstCell] ?? "";
    return cells.replace(/[\ue000-\uf8ff]/g, decode);
  }

  #cellFor(character: string): string {
    const code = character.charCodeAt(0);
    if (character.length === 1 && (code < firstCell || code > lastCell)) return character;
    const known = this.#characters.indexOf(character);
    const index = known === -1 ? this.#characters.push(character) - 1 : known;
    return firstCell + index > lastCell ? "\ufffd" : String.fromCharCode(firstCell + index);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}
