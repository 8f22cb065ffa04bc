import { type ReactNode, useState } from "react";
import { Rows } from "../components/line.tsx";
import type { InputEvent } from "../keys.ts";
import type { Line } from "../spans.ts";
import { useKeys } from "../use-keys.ts";
import { clamp, scrollStep } from "./navigation.ts";
import { frameRows, PanelBox, type Tabs, useClose, usePanelSize } from "./panel-box.tsx";

export type TextProps = {
  title: string;
  hint: string;
  tabs?: Tabs;
  /** The lines, or a lazy list for a text that is read page by page. */
  lines: { readonly length: number; slice(from: number, to: number): readonly Line[] };
  /** Keys in addition to scrolling and Escape. */
  keys?: Record<string, () => void>;
  fromEnd?: boolean;
  /** The line to show first, once it is known. */
  start?: number | null;
};

/** A panel with a text that scrolls. */
export function TextPanel(props: TextProps): ReactNode {
  const { title, hint, tabs, lines: all, keys, fromEnd = false, start = null } = props;
  const { rows } = usePanelSize();
  const close = useClose();
  /** null: not scrolled yet. */
  const [scrolled, setScrolled] = useState<number | null>(null);
  const room = Math.max(1, rows - frameRows - (tabs ? 1 : 0));
  const from = clamp(scrolled ?? start ?? (fromEnd ? Infinity : 0), all.length - room);
  useKeys((event: InputEvent) => {
    const step = scrollStep(event, room);
    if (event.type === "mouse" && event.action === "press" && event.row === 0)
      tabs?.click(event.column);
    const chord = event.type === "key" ? event.chord : "";
    const own = keys?.[chord] ?? (step === null ? tabs?.keys[chord] : undefined);
    if (own) own();
    else if (step !== null) setScrolled(clamp(from + step, all.length - room));
    else if (chord === "escape") close();
    else return false;
    return true;
  }, "panel");
  const shown = all.slice(from, from + room);
  const where = all.length > room ? ` ─ ${from + 1}-${from + shown.length} of ${all.length}` : "";
  return (
    <PanelBox title={title + where} hint={hint} tabs={tabs}>
      <Rows lines={shown} />
    </PanelBox>
  );
}
