/** Exactly what the model sees now, or saw at an earlier call. */

import { recentPath } from "../../context/recent-path.ts";
import { counted } from "../../protocol/in-words.ts";
import { project } from "../../context/view.ts";
import type { View } from "../../context/types.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { Host } from "../host.ts";
import { itemsOf } from "../list.ts";
import { Memo } from "../memo.ts";
import { callsIn, cutLines, MessageLines, sliderLine } from "./lens-lines.ts";
import { clamp, type PanelModel } from "./panel.ts";
import { ReaderPanel, textContent } from "./reader-panel.ts";

type Calls = { path: readonly Entry[]; calls: readonly number[] };

export function lensPanel(host: Host): PanelModel {
  const memos = { calls: new Memo<Calls>(), seen: new Memo<View>(), lines: new Memo<string[]>() };
  const messages = new MessageLines();
  /** A call, from 0; null: now. */
  let at: number | null = null;

  const calls = (): Calls =>
    memos.calls.get([host.state.path], () => {
      const path = [...itemsOf(host.state.path)];
      return { path, calls: callsIn(path) };
    });
  const slide = (step: number): void => {
    const { length } = calls().calls;
    const next = clamp((at ?? length) + step, length);
    at = next === length ? null : next;
  };
  return new ReaderPanel(host, {
    keys: { left: () => slide(-1), right: () => slide(1) },
    content(columns) {
      const { view, theme } = host;
      const { path, calls: all } = calls();
      const call = at === null ? undefined : all[at];
      const position = call === undefined ? all.length : (at ?? all.length);
      const keys = [path, call, view, view.version];
      const seen = memos.seen.get(keys, () =>
        call === undefined ? view : project(recentPath(path.slice(0, call), rejectedIn(view))),
      );
      const lines = memos.lines.get([...keys, columns, theme], () => [
        sliderLine(position, all.length, columns, theme),
        ...cutLines(path, all, position, view, theme),
        ...messages.of(seen, columns, theme),
      ]);
      const where = call === undefined ? "now" : `call ${position + 1} of ${all.length}`;
      const verb = call === undefined ? "sees" : "saw";
      const title = `Lens: what the model ${verb}, ${where}, ${counted(seen.messages.length, "message")}`;
      return textContent(title, "← → other calls · Tab next view · Esc close", lines);
    },
  });
}

const rejectedIn = ({ rejected }: View): Set<string> => new Set(rejected.map(({ cut }) => cut));
