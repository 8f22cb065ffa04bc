import { type ReactNode, useMemo, useState } from "react";
import { project } from "../../../context/view/view.ts";
import { useStore } from "../../screen-context.ts";
import { clamp } from "../panel.ts";
import { usePanelSize } from "../panel-box.tsx";
import { TextPanel } from "../text-panel.tsx";
import { cutLines, listCalls, messageLayout, openingLines, sliderLine } from "./lens.ts";
import { useTabs } from "./tabs.ts";

/** Exactly what the model sees now, or saw at an earlier call, and what was removed after it. */
export function LensPanel(): ReactNode {
  const { view, state } = useStore();
  const { columns } = usePanelSize();
  const tabs = useTabs("lens");
  /** A call, from 0; null: now. */
  const [at, setAt] = useState<number | null>(null);
  const [showsTools, setShowsTools] = useState(false);
  const [layoutMessages] = useState(messageLayout);
  const path = useMemo(() => [...state.path], [state.path]);
  const calls = useMemo(() => listCalls(path), [path]);
  const position = Math.min(at ?? calls.length, calls.length);
  const call = calls[position];
  const shown = [path, call, view, view.version];
  const seen = useMemo(() => (call === undefined ? view : project(path.slice(0, call))), shown);
  const lines = useMemo(
    () => [
      sliderLine(position, calls.length, columns),
      ...cutLines(path, calls, position, view),
      ...openingLines(seen, columns, showsTools),
      ...layoutMessages(seen, columns),
    ],
    [...shown, columns, showsTools],
  );
  const slide = (step: number): void => {
    const next = clamp(position + step, calls.length);
    setAt(next === calls.length ? null : next);
  };
  const what = call === undefined ? "sees now" : `saw at call ${position + 1} of ${calls.length}`;
  return (
    <TextPanel
      tabs={tabs}
      title={`Lens: what the model ${what}`}
      hint="← → other calls · t tools · Tab next view · Esc close"
      lines={lines}
      keys={{
        left: () => slide(-1),
        right: () => slide(1),
        t: () => setShowsTools(!showsTools),
      }}
    />
  );
}
