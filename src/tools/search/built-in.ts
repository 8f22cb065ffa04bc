/** A search without ripgrep, with the same results. */

import { messageOf } from "../../base/in-words.ts";
import { openRegular } from "../../base/regular-file.ts";
import { decodeText } from "../files/text.ts";
import { ToolError } from "../tool.ts";
import {
  maxFileBytes,
  maxLines,
  pathsOf,
  type FoundFile,
  type FoundLine,
  type SearchQuery,
} from "./matches.ts";

export async function* searchBuiltIn(query: SearchQuery): AsyncGenerator<FoundFile> {
  const pattern = compile(query);
  for await (const run of query.files) {
    for (const path of pathsOf(run)) {
      if (query.signal.aborted) return;
      const text = await textOf(path);
      const found = text === null ? null : searchText(path, text, pattern, query);
      if (found) yield found;
    }
  }
}

/** Translates what is common in Rust's regular expressions but different in JavaScript's. */
function compile({ pattern, ignoreCase, multiline }: SearchQuery): RegExp {
  const inline = /^\(\?([is]+)\)/.exec(pattern);
  const body = (inline ? pattern.slice(inline[0].length) : pattern)
    .replace(/\(\?P</g, "(?<")
    .replace(/\\A/g, "^")
    .replace(/\\z/g, "$")
    .replace(/\[:(\w+):\]/g, (whole, name: string) => posix[name] ?? whole);
  const flags = new Set(`u${ignoreCase ? "i" : ""}${multiline ? "gms" : ""}${inline?.[1] ?? ""}`);
  try {
    return new RegExp(body, [...flags].join(""));
  } catch {
    // With "u" some escapes are refused that are common elsewhere.
    flags.delete("u");
  }
  try {
    return new RegExp(body, [...flags].join(""));
  } catch (error) {
    throw new ToolError(
      `The pattern is not a valid regular expression (${messageOf(error)}); escape ( [ { . * + ?`,
    );
  }
}

const posix: Record<string, string> = {
  alpha: "a-zA-Z",
  digit: "0-9",
  alnum: "a-zA-Z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\s",
  word: "\\w",
  xdigit: "0-9a-fA-F",
};

async function textOf(path: string): Promise<string | null> {
  await using file = await openRegular(path).catch(() => null);
  if (file === null || file.stat.size > maxFileBytes) return null;
  const bytes = await file.handle.readFile().catch(() => null);
  return (bytes && decodeText(bytes)?.text) ?? null;
}

function searchText(
  path: string,
  text: string,
  pattern: RegExp,
  query: SearchQuery,
): FoundFile | null {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const hits = query.multiline ? spannedLines(text, pattern) : matchingLines(lines, pattern);
  if (hits.length === 0) return null;
  const wanted = Math.min(query.linesWanted(), maxLines);
  const shown: FoundLine[] = [];
  const isHit = new Set(hits);
  let next = 0;
  for (const hit of hits) {
    for (
      let at = Math.max(next, hit - query.before);
      at <= hit + query.after && at < lines.length;
      at += 1
    ) {
      if (shown.length >= wanted) return { path, lines: shown, matches: hits.length };
      const text = trimEnd(lines[at] ?? "");
      shown.push({ line: at + 1, text, at: isHit.has(at) ? matchStart(text, pattern) : null });
      next = at + 1;
    }
  }
  return { path, lines: shown, matches: hits.length };
}

/** A match that spans lines may begin in an earlier one. */
const matchStart = (text: string, pattern: RegExp): number =>
  Math.max(0, text.search(new RegExp(pattern.source, pattern.flags.replace("g", ""))));

function matchingLines(lines: readonly string[], pattern: RegExp): number[] {
  return [...lines.keys()].filter((at) => pattern.test(trimEnd(lines[at] ?? "")));
}

/** Every line that is part of a match, ascending. */
function spannedLines(text: string, pattern: RegExp): number[] {
  const spanned: number[] = [];
  let line = 0;
  let counted = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    const last = index + Math.max(0, match.length - 1);
    line += lineBreaks(text, counted, index);
    counted = index;
    const end = line + lineBreaks(text, index, last);
    for (let at = Math.max(line, (spanned.at(-1) ?? -1) + 1); at <= end; at += 1) spanned.push(at);
  }
  return spanned;
}

function lineBreaks(text: string, from: number, to: number): number {
  let breaks = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1))
    breaks += 1;
  return breaks;
}

const trimEnd = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
