/**
 * Mouse reports, taken out of what the terminal sends before Ink sees them: Ink would type them
 * into the prompt. SGR reports (1006) only; they alone can name any column.
 */

import { PassThrough } from "node:stream";
import type { MouseEvent } from "../keys.ts";

export const mouseOn = "\x1b[?1000h\x1b[?1006h";
export const mouseOff = "\x1b[?1006l\x1b[?1000l";

// eslint-disable-next-line no-control-regex -- the report's own bytes
const report = /\x1b\[<(\d+);(\d+);(\d+)([Mm])/g;

// eslint-disable-next-line no-control-regex -- the beginning of a report, at the end of a read
const torn = /\x1b\[<[\d;]*$/;

/** Splits a read into the reports in it and the rest; `rest` may end in a piece of a report. */
export function splitMouse(text: string): { events: MouseEvent[]; keys: string; rest: string } {
  const events: MouseEvent[] = [];
  const keys = text.replace(
    report,
    (_, button: string, column: string, row: string, end: string) => {
      const action = actionOf(Number(button), end);
      if (action)
        events.push({ type: "mouse", action, column: Number(column) - 1, row: Number(row) - 1 });
      return "";
    },
  );
  const rest = torn.exec(keys)?.[0] ?? "";
  return { events, keys: keys.slice(0, keys.length - rest.length), rest };
}

function actionOf(button: number, end: string): MouseEvent["action"] | null {
  if (button & 64) return button & 1 ? "wheelDown" : "wheelUp";
  if (button & 32) return null;
  return end === "M" ? "press" : "release";
}

/**
 * The terminal's input without mouse reports, which go to `onMouse`. It reads only while the
 * terminal is raw: an editor or a pager that was given the terminal must get its keys. `onRaw` tells
 * when that changes.
 */
export function withoutMouse(
  stdin: NodeJS.ReadStream,
  onMouse: (event: MouseEvent) => void,
  onRaw: (raw: boolean) => void,
): NodeJS.ReadableStream & { stop(): void } {
  const out = new PassThrough();
  const decoder = new TextDecoder();
  let rest = "";
  const take = (bytes: Uint8Array): void => {
    const split = splitMouse(rest + decoder.decode(bytes, { stream: true }));
    rest = split.rest;
    for (const event of split.events) onMouse(event);
    if (split.keys !== "") out.write(split.keys);
  };
  const close = (): void => void out.end();
  const stop = (): void => {
    stdin.off("data", take);
    stdin.off("end", close);
    stdin.pause();
  };
  return Object.assign(out, {
    isTTY: stdin.isTTY,
    setRawMode(on: boolean) {
      stdin.setRawMode(on);
      onRaw(on);
      stop();
      if (!on) return;
      stdin.on("data", take);
      stdin.on("end", close);
      stdin.resume();
    },
    ref: () => void stdin.ref(),
    unref: () => void stdin.unref(),
    stop,
  });
}
