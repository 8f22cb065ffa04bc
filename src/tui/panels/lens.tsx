/** Exactly what the model sees now, or saw at an earlier call; and what was cut until the next one. */

import { useMemo } from "react";
import type { KeyMap } from "../../config/keys.ts";
import { project } from "../../context/view.ts";
import { useLatest } from "../use-latest.ts";
import { useKeys } from "../input.tsx";
import { itemsOf } from "../list.ts";
import type { PanelProps } from "../types.ts";
import { Frame } from "./frame.tsx";
import { callsIn, cutLines, messageLines, sliderLine } from "./lens-lines.ts";
import { useScrolling } from "./scrolling.ts";

type LensProps = PanelProps & { keys: KeyMap };

export function LensPanel({ state, dispatch, keys, view, theme, columns, rows }: LensProps) {
  const path = useMemo(() => [...itemsOf(state.path)], [state.path]);
  const calls = useMemo(() => callsIn(path), [path]);
  /** A call, from 0; beyond the last one: now. */
  const at = useLatest(calls.length);
  const call = calls[at.get()];
  const seen = useMemo(
    () => (call === undefined ? view : project(path.slice(0, call))),
    [path, call, view],
  );
  // The view is a live look at the path: what is derived of it is good until the path grows.
  const lines = useMemo(
    () => [
      sliderLine(at.get(), calls.length, columns, theme),
      ...cutLines(path, calls, at.get(), view, theme),
      ...messageLines(seen, columns, theme),
    ],
    [at, call, path, calls, view, seen, columns, theme],
  );
  const from = useScrolling(lines.length, rows);
  useKeys("dialog", (event) => {
    if (event.type !== "key") return false;
    if (event.chord === "left") at.set(Math.max(0, at.get() - 1));
    else if (event.chord === "right") at.set(Math.min(calls.length, at.get() + 1));
    // The key that opened it switches back to everything.
    else if (keys.actionOf(event.chord) === "lens") dispatch({ type: "panel", panel: null });
    else return false;
    return true;
  });
  const where = call === undefined ? "now" : `call ${at.get() + 1} of ${calls.length}`;
  const title = `Lens: what the model ${call === undefined ? "sees" : "saw"}, ${where}, ${seen.messages.length} messages`;
  return (
    <Frame
      title={title}
      hint="← and → to other calls · Esc closes"
      lines={lines}
      from={from}
      rows={rows}
      columns={columns}
      theme={theme}
    />
  );
}
