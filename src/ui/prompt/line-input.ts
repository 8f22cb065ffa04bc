import type { InputEvent } from "../keys.ts";
import { sanitizeLine } from "../sanitize.ts";
import { editByKey, emptyEditor, insert } from "./editor.ts";

/** A line that the user types into, with the editing keys of the prompt. */
export class LineInput {
  #editor;

  constructor(text = "") {
    this.#editor = insert(emptyEditor, text);
  }

  get text(): string {
    return this.#editor.text;
  }

  /** False: the event edits nothing, such as Enter, Escape and the mouse. */
  press(event: InputEvent): boolean {
    if (event.type === "mouse") return false;
    const edited =
      event.type === "paste"
        ? insert(this.#editor, sanitizeLine(event.text))
        : editByKey(this.#editor, event.chord, event.text);
    this.#editor = edited ?? this.#editor;
    return edited !== null;
  }
}
