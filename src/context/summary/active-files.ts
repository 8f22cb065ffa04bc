/** The files that a summary shows, those that the session touched last, and how much of each. */

import { takeStart } from "../../base/clip.ts";
import { effectiveWindow } from "../meter/meter.ts";
import { filesInWork } from "./files-in-work.ts";
import type { FileNow } from "./compose.ts";
import { listWritten } from "../view/written-texts.ts";
import type { View } from "../types.ts";
import { newestFirst, wholeRange } from "../view/rows.ts";
import { findCallFile } from "../view/touches.ts";
import type { Span } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";

/** Candidates beyond this many are not read. */
const maxCandidates = 20;

/** All files together take at most this share of the window. */
const maxShare = 1 / 8;

/**
 * Chooses files within the policy's limits of number and tokens. A large file is shown as its
 * outline; outlines and parts do not count toward the number of files.
 */
export class ActiveFiles {
  readonly chosen: FileNow[] = [];
  /** Paths to offer, the most recent first. */
  readonly candidates: readonly string[];
  readonly #history: EditHistory;
  readonly #policy: Policy;
  readonly #rules: ModelRules;
  #leftChars: number;
  #wholeFiles = 0;

  constructor(view: View, span: Span, rules: ModelRules, policy: Policy) {
    this.candidates = filesInWork(view, span, maxCandidates).map(({ path }) => path);
    this.#history = readEditHistory(view);
    this.#policy = policy;
    this.#rules = rules;
    const tokens = Math.min(policy.summary.filesTokens, effectiveWindow(rules, policy) * maxShare);
    this.#leftChars = tokens * rules.charsPerToken.code;
  }

  get isFull(): boolean {
    return this.#leftChars <= 0;
  }

  /** `text`: the file as it is now; null if it cannot be read as text. */
  offer(path: string, text: string | null): void {
    if (text === null || text.trim() === "") return;
    const { summary } = this.#policy;
    const { charsPerToken } = this.#rules;
    const largeChars = Math.min(summary.fileTokens * charsPerToken.code, this.#leftChars);
    const shown = excerpt(path, text, largeChars, this.#history);
    if (!shown || shown.text.length > this.#leftChars) return;
    if (!shown.isPart && this.#wholeFiles >= summary.files) return;
    this.#leftChars -= shown.text.length;
    if (!shown.isPart) this.#wholeFiles++;
    const lines = text.replace(/\n$/, "").split("\n").length;
    this.chosen.push({ path, text: shown.text, lines, outline: shown.isPart });
  }
}

/** Edits older than this many calls are finished work. */
const recentCalls = 160;
/** A file that no call has used for longer is shown only in part. */
const besideCalls = 80;
/** Limit for all edited places of a file, in characters. */
const maxRegionChars = 12_000;

/** Used files, and the texts that calls wrote into them, newest first. */
export type EditHistory = { findUse: View["fileUse"]; written: Map<string, string[]> };

export function readEditHistory(view: View): EditHistory {
  const written = new Map<string, string[]>();
  let calls = 0;
  for (const { entry } of newestFirst(wholeRange(view))) {
    if (entry.type !== "assistant") continue;
    if (++calls > recentCalls) break;
    for (const block of entry.content) {
      const path = block.type === "tool_use" ? findCallFile(view, block.input) : null;
      if (path === null || block.type !== "tool_use") continue;
      written.set(path, [...(written.get(path) ?? []), ...listWritten(block.input)]);
    }
  }
  return { findUse: view.fileUse, written };
}

/**
 * The text to show, and whether it is only a part; null: nothing. A file of more than `largeChars` is
 * shown as its outline. A file that was not used for a while is shown only where it was edited, and a large
 * one there too.
 */
export function excerpt(
  path: string,
  whole: string,
  largeChars: number,
  { findUse, written }: EditHistory,
): { text: string; isPart: boolean } | null {
  const isLarge = whole.length > largeChars;
  const use = findUse(path);
  const inUse = (use?.callsSince ?? 0) <= besideCalls;
  if (inUse && !isLarge) return { text: whole, isPart: false };
  const regions = editedRegions(whole, written.get(path) ?? [], maxRegionChars);
  const parts = [inUse ? outline(whole, path) : "", regions].filter((part) => part !== "");
  return parts.length === 0 ? null : { text: parts.join("\n"), isPart: true };
}

/** Lines of context around an edit. */
const around = 5;

/** The lines that contain `texts`, with context and line numbers; at most about `maxChars`. */
export function editedRegions(whole: string, texts: readonly string[], maxChars: number): string {
  const lines = whole.split("\n");
  const shown = new Set<number>();
  for (const text of texts) {
    const at = text.trim() === "" ? -1 : whole.indexOf(text);
    if (at === -1) continue;
    const first = whole.slice(0, at).split("\n").length - 1;
    const last = first + text.split("\n").length - 1;
    const to = Math.min(lines.length - 1, last + around);
    for (let line = Math.max(0, first - around); line <= to; line++) shown.add(line);
  }
  let regions = "";
  let before = -1;
  for (const line of [...shown].sort((a, b) => a - b)) {
    if (line !== before + 1) regions += `... line ${line + 1}:\n`;
    regions += `${lines[line] ?? ""}\n`;
    before = line;
    if (regions.length > maxChars) break;
  }
  return regions;
}

const code =
  /^\s*(?:export\s+|pub(?:\([^)]*\))?\s+|public\s+|private\s+|protected\s+|internal\s+|static\s+|default\s+|async\s+|abstract\s+|final\s+|unsafe\s+|override\s+)*(?:function\*?|class|interface|type|enum|def|fn|func|struct|impl|trait|mod|module|namespace|record|protocol|extension|object)\s+[\w$<("'*]/;
/** Only top-level values count. */
const value = /^(?:export\s+(?:default\s+)?|pub\s+)?(?:const|let|var|val|static)\s+[\w$]/;
const cLike = /^[A-Za-z_][\w\s*&:<>,]*\([^;]*\)\s*(?:const\s*)?\{?\s*$/;
const heading = /^#{1,4} \S/;
const topKey = /^(?:["']?[\w.-]+["']?\s*:|\[{1,2}[^\]]+\]{1,2}\s*$)/;
const sql = /^\s*create\s+(?:or\s+replace\s+)?(?:table|view|index|function|procedure|trigger)\b/i;
const css = /^[.#:@\w][^{;]*\{\s*$/;

const byExtension: readonly [RegExp, readonly RegExp[]][] = [
  [/\.(?:md|mdx|markdown|rst)$/i, [heading]],
  [/\.(?:ya?ml|toml|ini|cfg)$/i, [topKey]],
  [/\.json[c5]?$/i, [/^ {2}"[^"]+"\s*:/]],
  [/\.sql$/i, [sql]],
  [/\.(?:css|scss|less)$/i, [css]],
  [/\.(?:c|h|cc|cpp|hpp|m)$/i, [code, value, cLike]],
];

const maxOutline = 80;

/** Lines of "number: line", at most `maxOutline`; empty if nothing was recognized. */
export function outline(text: string, path: string): string {
  const patterns = byExtension.find(([extension]) => extension.test(path))?.[1] ?? [code, value];
  const found = text
    .split("\n")
    .flatMap((line, index) =>
      line.length < 1_000 && patterns.some((pattern) => pattern.test(line))
        ? [`${index + 1}: ${takeStart(line.trimEnd(), 140)}`]
        : [],
    );
  const shown = found.slice(0, maxOutline);
  const more = found.length - shown.length;
  return more > 0 ? [...shown, `(${more} more)`].join("\n") : shown.join("\n");
}
