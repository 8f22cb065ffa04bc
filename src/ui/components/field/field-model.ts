/** What a field holds, and the line that a list or a question asks for. Without Ink, which loads late. */

import { type InputEvent, toChord } from "../../keys.ts";
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
export type AskedLine = Omit<FieldView, "field" | "placeholder"> & {
  readonly placeholder?: string;
  hint: string;
  /** The text to begin with. */
  value?: string;
  /** Takes the text without the space at its ends. */
  onEnter(text: string): void;
  /** By default the line is closed. */
  onEscape?(text: string): void;
};

export type AskedField<T extends AskedLine = AskedLine> = ReturnType<typeof askedField<T>>;

export function askedField<T extends AskedLine>(
  {
    store,
    actions,
  }: {
    store: { redraw(): void };
    actions: { type(field: FieldModel, event: InputEvent): boolean };
  },
  line: T,
  close: (text: string) => void,
) {
  const field = new FieldModel(line.value, store.redraw);
  const text = (): string => field.value.trim();
  return {
    line,
    text,
    view: (): FieldView => ({ placeholder: "", ...line, field }),
    press(event: InputEvent): boolean {
      const chord = toChord(event);
      if (chord === "enter") line.onEnter(text());
      else if (chord === "escape") (line.onEscape ?? close)(text());
      else return actions.type(field, event);
      return true;
    },
  };
}
