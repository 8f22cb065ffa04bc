import { firstWords, nextOffset, numberedLines, pathsIn } from "../results.ts";
import { call, type Skill } from "../skill.ts";
import { bullets, count, paragraphs } from "../text.ts";
import { argument, callsSoFar, type Step, type Turn } from "../turn.ts";

/** Each by itself: one pattern for all three would take long over a long paste. */
const isAsked = (question: string): boolean =>
  /\b(?:read|open|look at|go through)\b/i.test(question) &&
  /\b(?:every|each|all)\b/i.test(question) &&
  /\bfiles?\b|\bone by one\b/i.test(question);

const inFolder =
  /\b(?:files?|one by one|everything|all)\b\s+(?:in|of|under|from|inside)\s+(?:the\s+)?(?:folder\s+|directory\s+)?[`"']?([\w@./-]+)[`"']?/i;
const kinds = /\ball\s+(?:the\s+)?\.?(\w+)\s+files\b|\bevery\s+\.?(\w+)\s+file\b/i;

/** "Read every file in DIR one by one", until all are read. */
export const readEach: Skill = (turn) => {
  if (!isAsked(turn.question)) return null;
  const { folder, pattern } = targetOf(turn.question);
  const where = folder === "" ? "" : ` in \`${folder}\``;
  // The list itself may have been cut to make room; then it is made again.
  const list = turn.steps.findLast(({ tool, gone }) => tool === "glob" && !gone);
  if (!list)
    return {
      say: turn.steps.length === 0 ? "Listing the files first." : "Listing the files again.",
      calls: [call("glob", { pattern, ...(folder === "" ? {} : { path: folder }) })],
    };
  if (list.failed) return { say: `That did not work: ${firstWords(list.text)}` };
  const files = pathsIn(list.text);
  if (files.length === 0) return { say: `There are no such files${where}.` };
  const reads = turn.steps.filter(({ tool }) => tool === "read_file");
  const done = new Set([...reads.map((step) => argument(step, "path")), ...alreadyRead(turn)]);
  const next = files.find((path) => !done.has(path));
  if (next !== undefined) {
    const position = files.indexOf(next) + 1;
    const seen = lastSeen(reads.at(-1));
    return {
      say: `${seen}Reading ${position} of ${files.length}: \`${next}\`.`,
      calls: [call("read_file", { path: next })],
    };
  }
  return { say: conclusion(files, reads, where) };
};

function targetOf(question: string): { folder: string; pattern: string } {
  const named = inFolder.exec(question)?.[1]?.replace(/[/.]+$/, "") ?? "";
  const folder = /^(this|here|the|it|folder|directory|project|repo|repository|order)?$/i.test(named)
    ? ""
    : named;
  const found = kinds.exec(question);
  const kind = (found?.[1] ?? found?.[2] ?? "").toLowerCase();
  const extension = extensions[kind] ?? (/^[a-z]{1,4}$/.test(kind) && kind !== "the" ? kind : "");
  const known = kind in extensions || new RegExp(`\\.${extension}\\b`).test(question);
  return { folder, pattern: extension !== "" && known ? `**/*.${extension}` : "**/*" };
}

const extensions: Record<string, string> = {
  typescript: "{ts,tsx}",
  ts: "ts",
  tsx: "tsx",
  javascript: "{js,jsx,mjs}",
  js: "js",
  python: "py",
  py: "py",
  rust: "rs",
  rs: "rs",
  go: "go",
  markdown: "md",
  md: "md",
  json: "json",
};

/** What a summary that was forced into this turn says was read: not read again. */
const alreadyRead = ({ summarised, question }: Turn): readonly string[] =>
  summarised.questions.at(-1)?.includes(question) ? summarised.read : [];

/** In the model's own words, which outlive the result: what the file before held. */
function lastSeen(step: Step | undefined): string {
  if (!step) return "";
  const path = argument(step, "path");
  if (step.failed) return `\`${path}\` could not be read: ${firstWords(step.text, 1)} `;
  const lines = numberedLines(step.text);
  if (lines.length === 0) return "";
  const more = nextOffset(step.text) === null ? "" : " and more";
  return `\`${path}\`: ${count(lines.at(-1)?.number ?? 0, "line")}${more}. `;
}

function conclusion(files: readonly string[], reads: readonly Step[], where: string): string {
  const failed = reads.filter((step) => step.failed);
  const gone = reads.filter((step) => step.gone).length;
  return paragraphs(
    `I have read ${files.length - failed.length} of ${count(files.length, "file")}${where}, one by one.`,
    failed.length === 0
      ? ""
      : `Not read:\n${bullets(failed.map((step) => `\`${argument(step, "path")}\`: ${firstWords(step.text, 1)}`))}`,
    gone === 0
      ? ""
      : `The contents of ${count(gone, "file")} were taken out of the context again to make room.`,
  );
}

/** Paths that were read or written so far, in order; what a summary tells of included. */
export const pathsSoFar = (turn: Turn): string[] => [
  ...new Set([
    ...turn.summarised.changed,
    ...turn.summarised.read,
    ...callsSoFar(turn)
      .filter(({ tool }) => ["read_file", "edit_file", "write_file"].includes(tool))
      .map((step) => argument(step, "path"))
      .filter((path) => path !== ""),
  ]),
];
