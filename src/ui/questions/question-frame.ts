/** How every question looks: a frame with the choices at its bottom. Pure. */

import type { Theme } from "../theme.ts";
import { fit, pad, wrapWords } from "../wrap.ts";

/** A question takes answer keys only after this time in milliseconds without a key. */
export const quietMs = 500;

/** Columns and rows of the frame itself. */
export const frameSize = { columns: 4, rows: 2 };

/** `title` and `body` must be sanitized. */
export function layoutFrame(
  title: string,
  body: readonly string[],
  columns: number,
  theme: Theme,
): string[] {
  const width = Math.max(1, columns - frameSize.columns);
  const border = (text: string): string => theme.paint("warning", text);
  const head = fit(`╭ ${title} `, width + 3);
  return [
    border(`${head}${"─".repeat(Math.max(0, width + 3 - Bun.stringWidth(head)))}╮`),
    ...body.map((line) => `${border("│")} ${pad(fit(line, width), width)} ${border("│")}`),
    border(`╰${"─".repeat(width + 2)}╯`),
  ];
}

/** The choices, dimmed while keys do not answer. `selected` is an index. */
export function layoutChoices(
  choices: readonly { key?: string; label: string }[],
  selected: number,
  isAnswering: boolean,
  width: number,
  theme: Theme,
): string[] {
  return choices.flatMap(({ key, label }, index) => {
    const text = `${label}${key === undefined ? "" : ` (${key})`}`;
    const isSelected = isAnswering && index === selected;
    return wrapWords(text, width - 2).map((line, at) => {
      if (!isAnswering) return theme.paint("dim", `  ${line}`);
      const marked = `${isSelected && at === 0 ? "❯" : " "} ${line}`;
      return isSelected ? theme.paint("selected", pad(marked, width)) : marked;
    });
  });
}
