/** An original, read by pages, however long it is. */

import { useEffect, useState } from "react";
import type { Entry } from "../../protocol/entry.ts";
import { useLatest } from "../use-latest.ts";
import { useKeys } from "../input.tsx";
import { sanitiseLine } from "../sanitise.ts";
import type { PagedText, Services } from "../types.ts";
import type { Theme } from "../theme.ts";
import { fit } from "../wrap.ts";
import { Frame } from "./frame.tsx";

type ReaderProps = {
  entry: Entry;
  title: string;
  hint: string;
  services: Pick<Services, "openOriginal">;
  /** Back to where it was opened from. */
  onClose(): void;
  /** Keys of the caller's own; true: taken. */
  onKey?(chord: string): boolean;
  theme: Theme;
  columns: number;
  rows: number;
};

export function Reader(props: ReaderProps) {
  const { entry, title, hint, services, onClose, onKey, theme, columns, rows } = props;
  const [text, setText] = useState<PagedText | null>(null);
  const [lines, setLines] = useState<readonly string[]>(["Opening …"]);
  const from = useLatest(0);
  const page = Math.max(1, rows - 2);
  useEffect(() => {
    let isGone = false;
    const failed = (error: unknown): void =>
      isGone ? undefined : setLines([error instanceof Error ? error.message : String(error)]);
    services.openOriginal(entry).then((opened) => isGone || setText(opened), failed);
    return () => {
      isGone = true;
    };
  }, [entry, services]);
  const top = from.get();
  useEffect(() => {
    let isGone = false;
    void text?.read(top, top + page).then(
      (read) => isGone || setLines(read),
      (error: unknown) => isGone || setLines([String(error)]),
    );
    return () => {
      isGone = true;
    };
  }, [text, top, page]);

  const most = Math.max(0, (text?.lines ?? 0) - page);
  const scroll = (to: number): true => {
    from.set(Math.max(0, Math.min(most, to)));
    return true;
  };
  const moves: Record<string, number> = {
    up: -1,
    down: 1,
    pageup: -page,
    pagedown: page,
    home: -Infinity,
    end: Infinity,
  };
  useKeys("dialog", (event) => {
    if (event.type === "mouse") {
      const step = { wheelUp: -3, wheelDown: 3, press: 0, release: 0 }[event.action];
      return step !== 0 && scroll(from.get() + step);
    }
    if (event.type !== "key") return true;
    const move = moves[event.chord];
    if (move !== undefined) return scroll(from.get() + move);
    if (event.chord === "ctrl+c") return false;
    if (event.chord === "escape") onClose();
    else onKey?.(event.chord);
    return true;
  });
  const place = text
    ? `, lines ${top + 1}-${Math.min(text.lines, top + page)} of ${text.lines}`
    : "";
  return (
    <Frame
      title={`${title}${place}`}
      hint={hint}
      // Sanitised before it is cut: a sequence that was cut in half would come through.
      lines={lines.map((line) => fit(sanitiseLine(line.slice(0, columns * 8)), columns))}
      rows={rows}
      columns={columns}
      theme={theme}
    />
  );
}
