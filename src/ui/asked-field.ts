/** A line of text that a list or a question asks for. */

import { FieldModel, type FieldView } from "./field.ts";
import type { Host } from "./host.ts";
import { type InputEvent, toChord } from "./keys.ts";

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
  host: Pick<Host, "redraw" | "typeInto">,
  line: T,
  close: (text: string) => void,
) {
  const field = new FieldModel(line.value, host.redraw);
  return {
    line,
    get text(): string {
      return field.value.trim();
    },
    view: (): FieldView => ({ placeholder: "", ...line, field }),
    press(event: InputEvent): boolean {
      const chord = toChord(event);
      if (chord === "enter") line.onEnter(this.text);
      else if (chord === "escape") (line.onEscape ?? close)(this.text);
      else return host.typeInto(field, event);
      return true;
    },
  };
}
