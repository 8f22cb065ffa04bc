/** A panel covers the transcript: it draws itself as lines, and takes keys while it is open. */

import { messageOf } from "../../base/in-words.ts";
import type { Host } from "../host.ts";
import type { InputEvent } from "../keys.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { Theme } from "../theme.ts";
import { fit } from "../wrap.ts";

export interface PanelModel {
  /** Its lines, at most `rows` of them, each at most `columns` wide. */
  draw(columns: number, rows: number): string[];
  /** A line below them that the user types into; the panel takes its keys. */
  field?(columns: number): string | null;
  /** True: the event is used up. The cell of a mouse event is counted from the panel's own corner. */
  press(event: InputEvent): boolean;
}

type Frame = { title: string; hint: string; lines: readonly string[] };

/** Rows of a frame above its lines. */
export const titleRows = 1;

/** Rows of a frame besides its lines. */
export const frameRows = 2;

/** A title in a rule, the lines, and what the keys do. Lines may hold SGR codes. */
export function drawFrame({ title, hint, lines }: Frame, columns: number, theme: Theme): string[] {
  const head = `── ${title} `;
  const rule = head + "─".repeat(Math.max(0, columns - Bun.stringWidth(head)));
  return [
    theme.paint("boundary", fit(rule, columns)),
    ...lines.map((line) => fit(line, columns)),
    theme.paint("dim", fitHint(hint, columns)),
  ];
}

/** Keys and what they do, separated by dots. The last one, which closes, stays longest. */
export function fitHint(hint: string, columns: number): string {
  const parts = hint.split(" · ");
  const last = parts.pop() ?? "";
  for (let count = parts.length; count > 0; count--) {
    const line = [...parts.slice(0, count), last].join(" · ");
    if (Bun.stringWidth(line) <= columns) return line;
  }
  return fit(last, columns);
}

/** Lines that the wheel moves at once. */
export const wheelLines = 3;

/** How far a key or the wheel moves, in lines; null: it does not move. */
export function stepOf(event: InputEvent, page: number): number | null {
  if (event.type === "mouse") {
    if (event.action === "wheelUp") return -wheelLines;
    return event.action === "wheelDown" ? wheelLines : null;
  }
  if (event.type !== "key") return null;
  const steps: Record<string, number> = {
    up: -1,
    down: 1,
    pageup: -page,
    pagedown: page,
    home: -Infinity,
    end: Infinity,
  };
  return steps[event.chord] ?? null;
}

/** Tells whether a text holds every word of the filter, in any case. */
export function wordFilter(filter: string): (text: string) => boolean {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => words.every((word) => text.toLowerCase().includes(word));
}

/** `value` within 0 and `most`; 0 where `most` is negative. */
export const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value));

/** `message` is shown while there is no value: that it is loading, or why it failed to. */
type Loading<T> = { value: T | null; message: string };

/** A value that an open panel waits for; the screen is redrawn when it arrives. */
export function loading<T>(host: Host, work: Promise<T>, message: string): Loading<T> {
  const state: Loading<T> = { value: null, message };
  void work
    .then(
      (value) => (state.value = value),
      (error: unknown) => (state.message = sanitizeLine(messageOf(error))),
    )
    .then(host.redraw);
  return state;
}
