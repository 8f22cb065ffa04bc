/** A line of text that the user types into, such as a filter, a focus or a key: with the prompt's editor. */

import { type InputEvent, toChord } from "./keys.ts";
import { editByKey, type Editor, emptyEditor, insert, replaceAll } from "./prompt/editor.ts";
import { sanitizeLine } from "./sanitize.ts";

/** `mask` is shown instead of each character. */
export type FieldLabels = {
  readonly label: string;
  readonly placeholder: string;
  readonly mask?: string | undefined;
};

/** A field as it is shown; `cursor` is an index into its text. */
export type FieldView = FieldLabels & { readonly text: string; readonly cursor: number };

/** Keys that mean something else in the prompt. */
const alike: Readonly<Record<string, string>> = {
  "ctrl+b": "left",
  "ctrl+f": "right",
  "ctrl+backspace": "alt+backspace",
};

export class FieldModel {
  #editor: Editor;
  readonly #changed: (value: string) => void;

  constructor(value = "", changed: (value: string) => void = () => {}) {
    this.#editor = insert(emptyEditor, sanitizeLine(value));
    this.#changed = changed;
  }

  get value(): string {
    return this.#editor.text;
  }

  view({ label, placeholder, mask }: FieldLabels): FieldView {
    const { text, cursor } = this.#editor;
    return { label, placeholder, mask, text, cursor };
  }

  set(value: string): void {
    this.#take(replaceAll(this.#editor, sanitizeLine(value)));
  }

  /** Takes a key or a paste; false: it edits nothing. */
  press(event: InputEvent): boolean {
    if (event.type === "mouse") return false;
    const { chord, text } = event.type === "key" ? event : { chord: "", text: event.text };
    const next = editByKey(this.#editor, alike[chord] ?? chord, sanitizeLine(text));
    if (next === null) return event.type === "paste";
    this.#take(next);
    return true;
  }

  #take(next: Editor): void {
    const isSame = next.text === this.#editor.text;
    this.#editor = next;
    if (!isSame) this.#changed(next.text);
  }
}

/** A line of text that a list or a question asks for. */
export type AskedLine = Partial<FieldLabels> & {
  readonly label: string;
  hint: string;
  /** The text to begin with. */
  value?: string;
  /** Takes the text without the space at its ends. */
  onEnter(text: string): void;
  /** By default the line is asked for no longer. */
  onEscape?(): void;
};

export type AskedField<T extends AskedLine = AskedLine> = ReturnType<typeof askedField<T>>;

export function askedField<T extends AskedLine>(line: T, close: () => void) {
  const field = new FieldModel(line.value);
  return {
    line,
    get text(): string {
      return field.value.trim();
    },
    view: (): FieldView => field.view({ placeholder: "", ...line }),
    press(event: InputEvent): boolean {
      const chord = toChord(event);
      if (chord === "enter") line.onEnter(this.text);
      else if (chord === "escape") (line.onEscape ?? close)();
      else return field.press(event);
      return true;
    },
  };
}
