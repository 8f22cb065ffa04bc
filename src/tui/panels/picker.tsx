/** One of several lines, chosen with the arrows or by typing a part of it. */

import { useLatest } from "../use-latest.ts";
import { useKeys } from "../input.tsx";
import { emptyEditor, type Editor } from "../prompt/editor.ts";
import { editByKey } from "../prompt/keys.ts";
import { sanitiseLine } from "../sanitise.ts";
import type { Theme } from "../theme.ts";
import { fit, pad } from "../wrap.ts";
import { Frame } from "./frame.tsx";

export type Choice<T> = {
  value: T;
  /** One clean line; what is typed is looked for in it. */
  line: string;
};

type PickerProps<T> = {
  title: string;
  hint: string;
  /** Shown when there is nothing to choose from. */
  none: string;
  choices: readonly Choice<T>[];
  onChoose(value: T): void;
  /** Keys of the panel's own; true: taken. */
  onKey?(chord: string): boolean;
  theme: Theme;
  columns: number;
  rows: number;
};

export function Picker<T>(props: PickerProps<T>) {
  const { title, hint, none, choices, onChoose, onKey, theme, columns, rows } = props;
  const at = useLatest(0);
  const search = useLatest<Editor>(emptyEditor);
  const found = (): readonly Choice<T>[] => matching(choices, search.get().text);
  const place = (): number => Math.max(0, Math.min(at.get(), found().length - 1));
  const page = Math.max(1, rows - 3);
  const steps: Record<string, number> = {
    up: -1,
    down: 1,
    pageup: -page,
    pagedown: page,
    home: -choices.length,
    end: choices.length,
  };
  useKeys("dialog", (event) => {
    if (event.type === "paste") return true;
    if (event.type === "mouse") {
      const step = { wheelUp: -1, wheelDown: 1, press: 0, release: 0 }[event.action];
      at.set(Math.max(0, Math.min(found().length - 1, place() + step)));
      return step !== 0;
    }
    const { chord, text } = event;
    const step = steps[chord];
    if (step !== undefined) {
      at.set(Math.max(0, Math.min(found().length - 1, place() + step)));
      return true;
    }
    if (chord === "enter") {
      const choice = found()[place()];
      if (choice) onChoose(choice.value);
      return true;
    }
    if (onKey?.(chord)) return true;
    const edited = editByKey(search.get(), chord, text);
    if (!edited || chord === "escape") return false;
    search.set(edited);
    at.set(0);
    return true;
  });

  const shown = found();
  const words = sanitiseLine(search.get().text);
  const top = Math.max(0, Math.min(place() - Math.floor(page / 2), shown.length - page));
  const lines = shown.slice(top, top + page).map(({ line }, index) => {
    const cut = pad(fit(line, columns), columns);
    return top + index === place() ? theme.paint("selected", cut) : cut;
  });
  const empty = choices.length === 0 ? none : `Nothing here has “${words}”.`;
  return (
    <Frame
      title={title}
      hint={hint}
      lines={[
        ...(lines.length === 0 ? [empty] : lines),
        ...(words === "" ? [] : [`${theme.paint("accent", "Search: ")}${words}`]),
      ]}
      rows={rows}
      columns={columns}
      theme={theme}
    />
  );
}

function matching<T>(choices: readonly Choice<T>[], search: string): readonly Choice<T>[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return choices;
  return choices.filter(({ line }) => words.every((word) => line.toLowerCase().includes(word)));
}
