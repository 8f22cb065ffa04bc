/** What the prompt remembers and what its keys do: editor, history, completion, chips. */

import { useEffect, useRef } from "react";
import type { KeyMap } from "../../config/keys.ts";
import { useLatest } from "../use-latest.ts";
import { commands } from "../commands.ts";
import { useKeys } from "../input.tsx";
import type { KeyPress } from "../keys.ts";
import type { PanelProps, Services } from "../types.ts";
import { imageChip, isLargePaste, nextNumber, textChip, unfold, type Chip } from "./paste-chips.ts";
import { wantedAt, type Wanted } from "./completion.ts";
import { droppedImages } from "./dropped-files.ts";
import { emptyEditor, insert, replaceAll, replaceRange, type Editor } from "./editor.ts";
import { editByKey } from "./keys.ts";
import { selectionOf } from "./vim/vim.ts";
import { useVim } from "./vim/use-vim.ts";
import { verticalMove } from "./wrap-text.ts";

export type Choices = { wanted: Wanted; list: string[]; at: number };

/** A walk through earlier prompts; `at` -1 is what was being typed. */
type Past = { list: string[]; at: number; draft: string };

type PromptOptions = Pick<
  PanelProps,
  "state" | "dispatch" | "send" | "options" | "submit" | "suspend"
> & {
  keys: KeyMap;
  covered: boolean;
  /** Columns of the text. */
  width: number;
};

export function usePrompt(parts: PromptOptions) {
  const { state, options, submit, suspend, keys, covered, width } = parts;
  const { services } = options;
  const editor = useLatest<Editor>(emptyEditor);
  const past = useLatest<Past | null>(null);
  const choices = useLatest<Choices | null>(null);
  const chips = useRef<Chip[]>([]);
  /** Newest last: what waits is taken back as it was typed. */
  const sent = useRef<{ full: string; typed: string; chips: Chip[] }[]>([]);

  const change = (next: Editor): void => {
    editor.set(next);
    past.set(null);
    const wanted = wantedAt(next.text, next.cursor);
    if (!wanted) return choices.set(null);
    void candidates(wanted, services).then((list) => {
      if (editor.get() !== next) return;
      const at = Math.min(choices.get()?.at ?? 0, list.length - 1);
      choices.set(list.length === 0 ? null : { wanted, list, at });
    });
  };

  useEffect(() => {
    if (state.draft.serial > 0) editor.set(replaceAll(editor.get(), state.draft.text));
  }, [editor, state.draft.serial, state.draft.text]);

  const send = (): void => {
    const { killed } = editor.get();
    const { text, images } = unfold(editor.get().text, chips.current);
    if (text.trim() === "" && images.length === 0) return;
    sent.current = [
      ...sent.current.slice(-20),
      { full: text.trim(), typed: editor.get().text, chips: chips.current },
    ];
    chips.current = [];
    change({ ...emptyEditor, killed });
    services.saveHistory(text).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      const words = `The prompt was not saved to the history: ${why}`;
      parts.dispatch({ type: "flash", text: words, untilMs: Date.now() + 6_000 });
    });
    submit(text.trim(), images);
  };

  /** Brings the waiting messages back to be edited; they do not wait any more. */
  const takeBack = (): void => {
    parts.send({ type: "unqueue" });
    const messages = state.queue.map(
      (full) => sent.current.findLast((one) => one.full === full) ?? { typed: full, chips: [] },
    );
    chips.current = messages.flatMap((message) => message.chips);
    change(replaceAll(editor.get(), messages.map(({ typed }) => typed).join("\n")));
  };

  const recall = async (delta: -1 | 1): Promise<void> => {
    const walk = past.get() ?? {
      list: await services.loadHistory(),
      at: -1,
      draft: editor.get().text,
    };
    const at = Math.min(walk.list.length - 1, Math.max(-1, walk.at - delta));
    past.set({ ...walk, at });
    editor.set(replaceAll(editor.get(), at === -1 ? walk.draft : (walk.list.at(-1 - at) ?? "")));
  };

  const accept = ({ wanted, list, at }: Choices): void => {
    if (wanted.kind === "history") {
      change(replaceAll(editor.get(), list[at] ?? ""));
      return choices.set(null);
    }
    const sign = wanted.kind === "file" ? "@" : "/";
    change(replaceRange(editor.get(), wanted.from, wanted.to, `${sign}${list[at] ?? ""} `));
    choices.set(null);
  };

  useKeys(
    "popup",
    (event) => {
      const open = choices.get();
      if (!open || event.type !== "key") return false;
      const { list, at, wanted } = open;
      const isComplete = wanted.kind === "file" || list[at] === wanted.query;
      if (event.chord === "up") choices.set({ ...open, at: (at - 1 + list.length) % list.length });
      else if (event.chord === "down") choices.set({ ...open, at: (at + 1) % list.length });
      else if (event.chord === "escape") choices.set(null);
      else if (event.chord === "tab" || (event.chord === "enter" && !isComplete)) accept(open);
      else return false;
      return true;
    },
    !covered,
  );

  const vim = useVim({ ...parts, editor, change });

  const onKey = (event: KeyPress): boolean => {
    const now = editor.get();
    if (vim.press(event)) return true;
    const { chord, text } = vim.translate(event);
    switch (keys.actionOf(chord)) {
      case "submit":
        if (now.text[now.cursor - 1] !== "\\") send();
        else change(replaceRange(now, now.cursor - 1, now.cursor, "\n"));
        return true;
      case "newline":
        change(insert(now, "\n"));
        return true;
      case "unfold":
        change(replaceAll(now, unfold(now.text, chips.current).text));
        return true;
      case "editor":
        void suspend(async () =>
          change(replaceAll(now, await services.edit(unfold(now.text, chips.current).text))),
        );
        return true;
      case "exit":
        if (now.text === "") return false;
        change({ ...emptyEditor, killed: now.text });
        return true;
      case "historySearch":
        void services.loadHistory().then((prompts) => {
          const query = now.text.toLowerCase();
          const list = [...new Set(prompts.toReversed())]
            .filter((one) => one.toLowerCase().includes(query))
            .slice(0, 6);
          const wanted: Wanted = { kind: "history", query, from: 0, to: now.text.length };
          choices.set(list.length === 0 ? null : { wanted, list, at: 0 });
        });
        return true;
      case "endOfInput":
        if (now.text === "") return false;
        break;
      default:
        break;
    }
    if (chord === "up" || chord === "down") {
      const delta = chord === "up" ? -1 : 1;
      const cursor = verticalMove(now.text, now.cursor, width, delta);
      if (chord === "up" && now.text === "" && state.queue.length > 0) takeBack();
      else if (cursor === null) void recall(delta);
      else editor.set({ ...now, cursor });
      return true;
    }
    if (now.text === "" && (chord === "home" || chord === "end")) return false;
    const next = editByKey(now, chord, text);
    if (!next) return false;
    if (next.text === now.text) editor.set(next);
    else change(next);
    return true;
  };

  useKeys(
    "prompt",
    (event) => {
      if (event.type === "key") return onKey(event);
      if (event.type !== "paste") return false;
      void fold(event.text, services, chips.current).then((text) =>
        change(insert(editor.get(), text)),
      );
      return true;
    },
    !covered,
  );

  const selection = vim.state ? selectionOf(vim.state, editor.get()) : null;
  return { editor: editor.get(), selection, choices: covered ? null : choices.get() };
}

async function candidates(wanted: Wanted, services: Services): Promise<string[]> {
  if (wanted.kind === "file") return (await services.files(wanted.query)).slice(0, 6);
  return commands.filter(({ name }) => name.startsWith(wanted.query)).map(({ name }) => name);
}

/** What a paste puts into the text: chips for images or for much text, or itself. */
async function fold(text: string, services: Services, chips: Chip[]): Promise<string> {
  const images = await Promise.all((droppedImages(text) ?? []).map(services.readImage));
  const found = images.filter((image) => image !== null);
  const clean = text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const isAll = found.length > 0 && found.length === images.length;
  if (!isAll && !isLargePaste(clean)) return clean;
  const made = isAll
    ? found.map((image) => imageChip(nextNumber(), image))
    : [textChip(nextNumber(), clean)];
  chips.push(...made);
  return made.map(({ label }) => label).join(" ");
}
