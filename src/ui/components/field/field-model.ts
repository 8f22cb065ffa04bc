/** What a field holds, and the line that a list or a question asks for. Without Ink, which loads late. */

import { type Editor, emptyEditor } from "../../prompt/editor.ts";
import { sanitizeLine } from "../../sanitize.ts";

/** A field as it is shown. */
export type FieldView = {
  readonly field: FieldModel;
  readonly label: string;
  readonly placeholder: string;
  readonly mask?: string;
};

export class FieldModel {
  editor: Editor;
  /** ink-text-input edits each edition from its end. */
  edition = 0;
  #told: string;
  readonly #changed: (value: string) => void;
  readonly #listeners = new Set<() => void>();

  constructor(value = "", changed: (value: string) => void = () => {}) {
    this.editor = atEnd({ ...emptyEditor, text: sanitizeLine(value) });
    this.#told = this.value;
    this.#changed = changed;
  }

  get value(): string {
    return this.editor.text;
  }

  /** `<Field>`, which subscribes after `<TextInput>` has begun to listen, can be given keys. */
  get isMounted(): boolean {
    return this.#listeners.size > 0;
  }

  show(editor: Editor): void {
    this.editor = this.isMounted ? editor : atEnd(editor);
    for (const listener of this.#listeners) listener();
  }

  edit(editor: Editor): void {
    this.show(editor);
    if (this.#told !== this.value) this.#changed((this.#told = this.value));
  }

  readonly clear = (): void => this.edit(emptyEditor);

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (!this.isMounted) this.editor = atEnd(this.editor);
    };
  };
}

/** Where the next `<TextInput>` begins. */
const atEnd = (editor: Editor): Editor => ({ ...editor, cursor: editor.text.length });

/** A line of text that a list or a question asks for. */
export type AskedLine = {
  readonly label: string;
  readonly placeholder?: string;
  readonly mask?: string;
  hint: string;
  /** The text to begin with. */
  value?: string;
  /** Both take the text without the space at its ends. */
  onEnter(text: string): void;
  onEscape(text: string): void;
};
