import type { Theme } from "../../../src/ui/theme.ts";
import { Builder, say } from "../../context/build.ts";
import { stage } from "../stage.ts";

/** A theme that writes roles instead of colors. */
export const named: Theme = {
  name: "none",
  colors: 256,
  props: () => ({}),
  paint: (role, text) => `<${role} ${text}>`,
};

type AnswerOptions = { width?: number; theme?: Theme };

function open(theme: Theme | undefined, text?: string) {
  const built = new Builder();
  if (text !== undefined) built.answer([say(text)], { stop: "pause_turn" });
  return stage(built, { isKept: true, ...(theme && { theme }) });
}

/** The lines of an answer in the transcript. */
export function answerLines(text: string, { width = 60, theme }: AnswerOptions = {}): string[] {
  const on = open(theme, text);
  const { lines } = on.controller.transcript.frame(width, 3_000);
  on.end();
  return lines.slice(1);
}

/** The last lines of an answer that is streamed in pieces of `size` characters. */
export function streamedLines(text: string, size: number): string[] {
  const on = open(undefined);
  const { transcript } = on.controller;
  let lines: readonly string[] = [];
  for (let from = 0; from < text.length; from += size) {
    const piece = text.slice(from, from + size);
    on.store.take({ type: "delta", index: 0, kind: "text", text: piece });
    ({ lines } = transcript.frame(60, 3_000));
  }
  on.end();
  return lines.slice(1);
}

export const plain = (lines: readonly string[]): string[] =>
  lines.map((line) => Bun.stripANSI(line).trimEnd());
