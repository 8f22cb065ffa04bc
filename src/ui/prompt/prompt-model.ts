/** The prompt: text, keys, pastes, completion and history. */

import { errorMessage } from "../../base/format.ts";
import type { ImageBlock } from "../../protocol/block.ts";
import type { InputEvent, KeyPress } from "../keys.ts";
import type { Shared } from "../shared.ts";
import { completion } from "./completion.ts";
import { editByKey, type Editor, emptyEditor, insert, replaceAll, replaceRange } from "./editor.ts";
import { type Chip, type Draft, foldPaste, imageChip, unfold } from "./paste-chips.ts";
import { vimKeys } from "./vim.ts";
import { verticalMove } from "./prompt-lines.ts";

/** Number of messages whose pastes are kept, in case they return from the queue. */
const maxKept = 20;

/** `submit` takes a prompt, `/command` or `!command` as typed; a returned promise delays later keys. */
export function promptModel(
  parts: Omit<Shared, "session">,
  submit: (text: string, images: readonly ImageBlock[]) => void | Promise<void>,
) {
  const { store, actions, services, keys } = parts;
  const vim = vimKeys(parts.settings.current.vim);
  const candidates = completion(parts);
  /** A walk through earlier prompts, and the unsent text to return to. */
  let walk: { prompts: readonly string[]; at: number; typed: string } | null = null;
  let editor: Editor = emptyEditor;
  let chips: Chip[] = [];
  let sent: { full: string; typed: string; chips: Chip[] }[] = [];
  /** The draft under the menu of commands. */
  let covered: Draft | null = null;

  const model = {
    completion: candidates,
    vim,
    /** Width of the text when it was last drawn. */
    width: 80,
    get editor(): Editor {
      return editor;
    },
    /** Length of the draft, pastes included. */
    get draftChars(): number {
      const pasted = chips.filter(({ label }) => editor.text.includes(label));
      return pasted.reduce(
        (sum, chip) => sum + (chip.kind === "text" ? chip.text.length : 0),
        editor.text.length,
      );
    },
    get draft(): Draft {
      return { text: editor.text, chips };
    },
    restore(draft: Draft): void {
      chips = [...draft.chips];
      setText(draft.text);
    },
    setText,
    /** Opens the command menu; the draft returns after a choice. */
    openMenu(): void {
      if (covered || /^\/[\w:-]*$/.test(editor.text)) return;
      covered = model.draft;
      setText("/");
    },
    /** Keys of the completion list, and Escape while vim uses it. */
    pressPopup(event: InputEvent): boolean | Promise<void> {
      if (event.type !== "key") return false;
      const used = candidates.press(event.chord, (edit) => change(edit(editor)));
      if (used === true && covered && !candidates.list && event.chord === "escape") uncover();
      return used === false && event.chord === "escape" ? pressVim(event) : used;
    },
    takeBack,
    /** Returns a promise if later keys must wait. */
    press(event: InputEvent): boolean | Promise<void> {
      if (event.type === "mouse") return false;
      if (event.type === "paste") return paste(event.text);
      if (pressVim(event)) return true;
      const { chord, text } = vim.translate(event);
      const byAction = act(chord);
      if (byAction !== null) return byAction;
      if (chord === "up") return vertical(-1);
      if (chord === "down") return vertical(1);
      if (editor.text === "" && ["home", "end", "ctrl+d"].includes(chord)) return false;
      if (editor.text === "" && chord === "?") {
        actions.show({ kind: "help" });
        return true;
      }
      const next = editByKey(editor, chord, text);
      if (!next) return false;
      change(next);
      return true;
    },
  };
  return model;

  function setText(text: string): void {
    change(replaceAll(editor, text));
  }

  /** Restores unsent messages before the current draft. */
  function takeBack(messages: readonly string[]): void {
    const back = messages.map(
      (full) => sent.findLast((message) => message.full === full) ?? { typed: full, chips: [] },
    );
    const { text } = editor;
    chips = [...back.flatMap((message) => message.chips), ...chips];
    setText([...back.map(({ typed }) => typed), ...(text === "" ? [] : [text])].join("\n"));
  }

  function uncover(): void {
    const draft = covered;
    covered = null;
    if (draft) model.restore(draft);
  }

  function pressVim(event: KeyPress): boolean {
    const edited = vim.press(editor, event);
    if (!edited) return false;
    change(edited);
    return true;
  }

  /** Returns null if the chord is not bound to an action of the prompt. */
  function act(chord: string): boolean | Promise<void> | null {
    const { text, cursor } = editor;
    switch (keys.findAction(chord)) {
      case "submit":
        if (text[cursor - 1] !== "\\") return send();
        change(replaceRange(editor, cursor - 1, cursor, "\n"));
        return true;
      case "newline":
        change(insert(editor, "\n"));
        return true;
      case "editor":
        return edit();
      case "pasteImage":
        return pasteImage();
      case "exit":
        if (text === "") return false;
        change({ ...emptyEditor, killed: text });
        return true;
      case "historySearch":
        return candidates.searchHistory(editor);
      default:
        return null;
    }
  }

  function change(next: Editor): void {
    const isSameText = next.text === editor.text;
    editor = next;
    if (!isSameText) {
      walk = null;
      candidates.update(next);
      if (next.text === "") uncover();
    }
    store.redraw();
  }

  function send(): true | Promise<void> {
    const { text: typed, killed } = editor;
    const { text, images } = unfold(typed, chips);
    const full = text.trim();
    if (full === "" && images.length === 0) return true;
    sent = [...sent.slice(-maxKept), { full, typed, chips }];
    chips = [];
    candidates.close();
    change({ ...emptyEditor, killed });
    services
      .saveHistory(text)
      .catch((error: unknown) =>
        actions.notify(`The prompt was not saved to the history: ${errorMessage(error)}`),
      );
    const sending = submit(full, images);
    covered = null;
    return sending === undefined ? true : sending;
  }

  function vertical(delta: -1 | 1): boolean | Promise<void> {
    const { queue } = store.state;
    if (delta < 0 && editor.text === "" && queue.length > 0) {
      // The queued messages move back into the prompt.
      actions.send({ type: "unqueue" });
      takeBack(queue);
      return true;
    }
    const cursor = verticalMove(editor.text, editor.cursor, model.width, delta);
    if (cursor === null) return recall(delta);
    change({ ...editor, cursor });
    return true;
  }

  /** Steps to the previous (-1) or next (1) prompt in the history. */
  async function recall(delta: -1 | 1): Promise<void> {
    const prompts = walk?.prompts ?? (await services.loadHistory());
    const from = walk ?? { prompts, at: -1, typed: editor.text };
    const at = Math.max(-1, Math.min(from.prompts.length - 1, from.at - delta));
    walk = { ...from, at };
    const text = at === -1 ? from.typed : (from.prompts.at(-1 - at) ?? "");
    editor = replaceAll(editor, text);
    candidates.close();
  }

  async function paste(text: string): Promise<void> {
    try {
      const folded = await foldPaste(text, services.readImage);
      chips = [...chips, ...folded.chips];
      change(insert(editor, folded.words));
    } catch (error) {
      change(insert(editor, text));
      actions.notify(`The image was not attached: ${errorMessage(error)}`);
    }
  }

  async function pasteImage(): Promise<void> {
    try {
      const image = await services.clipboardImage();
      if (!image) return actions.notify("There is no image on the clipboard.");
      const chip = imageChip(image);
      chips = [...chips, chip];
      change(insert(editor, chip.label));
    } catch (error) {
      actions.report(error);
    }
  }

  function edit(): Promise<void> {
    const { text: opened } = editor;
    return actions.suspend(async () => {
      const edited = await services.edit(unfold(opened, chips).text);
      // Messages that came back meanwhile were put before it.
      const { text } = editor;
      const back = text === opened ? "" : text.slice(0, text.length - opened.length).trimEnd();
      setText(back === "" ? edited : `${back}\n${edited}`);
    });
  }
}
