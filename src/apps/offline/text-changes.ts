/** From a wish about lines to replacements of a text that stands in the file exactly once. */

import type { Line } from "./results.ts";
import { escape } from "./words.ts";

type TextEdit = { old_text: string; new_text: string; replace_all?: boolean };

export type Changes = { edits: TextEdit[] } | { why: string };

/** `whole`: the lines are the whole file, so that what is unique in them is unique in it. */
export function appendAfter(lines: readonly Line[], text: string, whole: boolean): Changes {
  const texts = lines.map((line) => line.text);
  const all = `${texts.join("\n")}\n`;
  for (let count = whole ? 1 : Math.min(20, texts.length); count <= texts.length; count += 1) {
    const old = texts.slice(-count).join("\n");
    if (old.trim() !== "" && occursOnce(all, old))
      return { edits: [{ old_text: old, new_text: `${old}\n${text}` }] };
  }
  return { why: "its last lines cannot be told from others." };
}

/** The whole line goes, its line break with it. */
export function deleteLine(lines: readonly Line[], wanted: string): Changes {
  const places = lines.flatMap(({ text }, at) =>
    text === wanted || text.trim() === wanted.trim() ? [at] : [],
  );
  const [at] = places;
  if (at === undefined) return { why: `it has no line that reads “${wanted}”.` };
  if (places.length > 1) {
    const numbers = places.map((place) => lines[place]?.number).join(", ");
    return {
      why: `“${wanted}” stands in it ${places.length} times (lines ${numbers}), and I do not guess.`,
    };
  }
  const texts = lines.map(({ text }) => text);
  const all = `\n${texts.join("\n")}\n`;
  for (let around = 1; around <= texts.length; around += 1) {
    const from = Math.max(0, at - around);
    const before = texts.slice(from, at);
    const after = texts.slice(at + 1, at + 1 + around);
    const old = [...before, texts[at] ?? "", ...after].join("\n");
    const kept = [...before, ...after].join("\n");
    const alone = texts.length === 1;
    if (old !== "" && (alone || occursOnce(all, old)))
      return { edits: [{ old_text: old, new_text: kept }] };
  }
  return { why: "the line cannot be told from others." };
}

/**
 * Only the whole word: where it stands inside longer words too, it is replaced together with the
 * characters around it.
 */
export function renameWord(lines: readonly Line[], from: string, to: string): Changes {
  const text = `\n${lines.map((line) => line.text).join("\n")}\n`;
  const inside = new RegExp(`[\\w$]${escape(from)}|${escape(from)}[\\w$]`).test(text);
  const found = [...text.matchAll(new RegExp(`([^\\w$])${escape(from)}(?=([^\\w$]))`, "g"))];
  if (found.length === 0) return { why: `the name \`${from}\` does not stand in it.` };
  if (!inside) return { edits: [{ old_text: from, new_text: to, replace_all: true }] };
  const frames = new Set(found.map(([, before = "", after = ""]) => `${before}\0${after}`));
  return {
    edits: [...frames].map((frame) => {
      const [before = "", after = ""] = frame.split("\0");
      return {
        old_text: `${before}${from}${after}`,
        new_text: `${before}${to}${after}`,
        replace_all: true,
      };
    }),
  };
}

/** Also where it overlaps with itself: the tool that makes the edit would take the first. */
const occursOnce = (text: string, part: string): boolean =>
  text.includes(part) && text.indexOf(part) === text.lastIndexOf(part);
