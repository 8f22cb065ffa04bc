/** The prompt: text, keys, pastes, completion and history. */

import { messageOf } from "../../protocol/in-words.ts";
import type { Host } from "../host.ts";
import type { InputEvent, KeyPress } from "../keys.ts";
import { Completion } from "./completion.ts";
import { editByKey, emptyEditor, insert, replaceAll, replaceRange, type Editor } from "./editor.ts";
import { foldPaste, imageChip, unfold, type Chip, type Draft } from "./paste-chips.ts";
import { VimKeys } from "./vim/vim.ts";
import { verticalMove } from "./wrap-text.ts";

type PromptOptions = {
  host: Host;
  /** A prompt, a `/command` or a `!command`, as typed. */
  submit(text: string, images: ReturnType<typeof unfold>["images"]): void;
};

/** Most messages whose pastes are kept, in case they return from the queue. */
const maxKept = 20;

export class PromptModel {
  readonly completion: Completion;
  readonly vim: VimKeys;
  /** Width of the text when it was last drawn. */
  width = 80;
  readonly #host: Host;
  readonly #submit: PromptOptions["submit"];
  /** A walk through earlier prompts, and the unsent text to return to. */
  #walk: { prompts: readonly string[]; at: number; typed: string } | null = null;
  #editor: Editor = emptyEditor;
  #chips: Chip[] = [];
  #sent: { full: string; typed: string; chips: Chip[] }[] = [];

  constructor({ host, submit }: PromptOptions) {
    this.#host = host;
    this.#submit = submit;
    this.vim = new VimKeys(host.options.settings.vim);
    this.completion = new Completion(host);
  }

  get editor(): Editor {
    return this.#editor;
  }

  /** The selection in vim's visual mode. */
  get selection(): { from: number; to: number } | null {
    return this.vim.selection(this.#editor);
  }

  /** What is typed and not sent, for another screen. */
  get draft(): Draft {
    return { text: this.#editor.text, chips: this.#chips };
  }

  restore({ text, chips }: Draft): void {
    this.#chips = [...chips];
    this.setText(text);
  }

  setText(text: string): void {
    this.#change(replaceAll(this.#editor, text));
  }

  /** Keys of the completion list, and Escape while vim uses it. */
  pressPopup(event: InputEvent): boolean | Promise<void> {
    if (event.type !== "key") return false;
    const used = this.completion.press(event.chord, (edit) => this.#change(edit(this.#editor)));
    return used === false && event.chord === "escape" ? this.#pressVim(event) : used;
  }

  /** Puts messages that were not sent before what is typed now, as they were typed. */
  takeBack(messages: readonly string[]): void {
    const sent = messages.map(
      (full) => this.#sent.findLast((one) => one.full === full) ?? { typed: full, chips: [] },
    );
    const { text } = this.#editor;
    this.#chips = [...sent.flatMap(({ chips }) => chips), ...this.#chips];
    this.setText([...sent.map(({ typed }) => typed), ...(text === "" ? [] : [text])].join("\n"));
  }

  /** Returns a promise if later keys must wait. */
  press(event: InputEvent): boolean | Promise<void> {
    if (event.type === "mouse") return false;
    if (event.type === "paste") return this.#paste(event.text);
    if (this.#pressVim(event)) return true;
    const { chord, text } = this.vim.translate(event);
    const byAction = this.#act(chord);
    if (byAction !== null) return byAction;
    if (chord === "up" || chord === "ctrl+p") return this.#vertical(-1);
    if (chord === "down" || chord === "ctrl+n") return this.#vertical(1);
    const now = this.#editor;
    if (now.text === "" && ["home", "end", "ctrl+d"].includes(chord)) return false;
    if (now.text === "" && chord === "?") {
      this.#host.dispatch({ type: "panel", panel: { kind: "help" } });
      return true;
    }
    const next = editByKey(now, chord, text);
    if (!next) return false;
    this.#change(next);
    return true;
  }

  #pressVim(event: KeyPress): boolean {
    const edited = this.vim.press(this.#editor, event);
    if (!edited) return false;
    this.#change(edited);
    return true;
  }

  /** Returns null if the chord is not bound to an action of the prompt. */
  #act(chord: string): boolean | Promise<void> | null {
    const now = this.#editor;
    switch (this.#host.keys.actionOf(chord)) {
      case "submit":
        if (now.text[now.cursor - 1] === "\\")
          this.#change(replaceRange(now, now.cursor - 1, now.cursor, "\n"));
        else this.#send();
        return true;
      case "newline":
        this.#change(insert(now, "\n"));
        return true;
      case "unfold":
        this.#change(replaceAll(now, this.#unfolded().text));
        return true;
      case "editor":
        return this.#edit();
      case "pasteImage":
        return this.#pasteImage();
      case "exit":
        if (now.text === "") return false;
        this.#change({ ...emptyEditor, killed: now.text });
        return true;
      case "historySearch":
        return this.completion.searchHistory(now.text);
      default:
        return null;
    }
  }

  #change(next: Editor): void {
    const isSameText = next.text === this.#editor.text;
    this.#editor = next;
    if (!isSameText) {
      this.#walk = null;
      this.completion.update(next);
    }
    this.#host.redraw();
  }

  #unfolded(): ReturnType<typeof unfold> {
    return unfold(this.#editor.text, this.#chips);
  }

  #send(): void {
    const { text: typed, killed } = this.#editor;
    const { text, images } = this.#unfolded();
    const full = text.trim();
    if (full === "" && images.length === 0) return;
    this.completion.close();
    this.#sent = [...this.#sent.slice(-maxKept), { full, typed, chips: this.#chips }];
    this.#chips = [];
    this.#change({ ...emptyEditor, killed });
    this.#host.options.services
      .saveHistory(text)
      .catch((error: unknown) =>
        this.#host.flash(`The prompt was not saved to the history: ${messageOf(error)}`),
      );
    this.#submit(full, images);
  }

  #vertical(delta: -1 | 1): boolean | Promise<void> {
    const now = this.#editor;
    if (delta < 0 && now.text === "" && this.#host.state.queue.length > 0) {
      this.#editQueue();
      return true;
    }
    const cursor = verticalMove(now.text, now.cursor, this.width, delta);
    if (cursor === null) return this.#recall(delta);
    this.#change({ ...now, cursor });
    return true;
  }

  /** Moves the queued messages back into the prompt. */
  #editQueue(): void {
    this.#host.send({ type: "unqueue" });
    this.takeBack(this.#host.state.queue);
  }

  /** Shows the prompt before (-1) or after (1) the one that is shown. */
  async #recall(delta: -1 | 1): Promise<void> {
    const typed = this.#editor.text;
    const { loadHistory } = this.#host.options.services;
    const walk = this.#walk ?? { prompts: await loadHistory(), at: -1, typed };
    const at = Math.max(-1, Math.min(walk.prompts.length - 1, walk.at - delta));
    this.#walk = { ...walk, at };
    const text = at === -1 ? walk.typed : (walk.prompts.at(-1 - at) ?? "");
    this.#editor = replaceAll(this.#editor, text);
    this.completion.close();
  }

  async #paste(text: string): Promise<void> {
    const { options } = this.#host;
    try {
      const { chips, words } = await foldPaste(text, options.services.readImage);
      this.#chips = [...this.#chips, ...chips];
      this.#change(insert(this.#editor, words));
    } catch (error) {
      this.#change(insert(this.#editor, text));
      this.#host.flash(`The image was not attached: ${messageOf(error)}`);
    }
  }

  async #pasteImage(): Promise<void> {
    const { options, flash, report } = this.#host;
    try {
      const image = await options.services.clipboardImage();
      if (!image) return flash("There is no image on the clipboard.");
      const chip = imageChip(image);
      this.#chips = [...this.#chips, chip];
      this.#change(insert(this.#editor, chip.label));
    } catch (error) {
      report(error);
    }
  }

  async #edit(): Promise<void> {
    const { suspend, options } = this.#host;
    await suspend(async () => this.setText(await options.services.edit(this.#unfolded().text)));
  }
}
