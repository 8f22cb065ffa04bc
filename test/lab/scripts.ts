/**
 * Tokens and cost of recorded sessions with and without the tool Script: `bun test/lab/scripts.ts FOLDER...`.
 *
 * A run is at least five consecutive reading calls of one turn whose results are not used again verbatim. A
 * generator turns it into one script that makes the same calls and prints, of each result, the lines with
 * words that later calls need; the other lines are what a script saves.
 */

import { readsOnly } from "./reads-only.ts";
import { blockText, type ToolUseBlock } from "../../src/protocol/block.ts";
import type { ResultFact } from "../../src/protocol/entry.ts";
import { lookUpRules } from "../../src/model/catalog.ts";
import { tellingWords } from "./dependencies.ts";
import { findRecordings, readRecording } from "./load.ts";
import { policies } from "./policies.ts";
import { RecordingError, type RecordedCall, type Recording } from "./recording.ts";
import { simulate } from "./simulate.ts";

const shortestRun = 5;
const printedLines = 5;
const printedChars = 200;
/** A shorter line that appears again may do so by chance. */
const verbatimChars = 40;

type Step = { use: ToolUseBlock; result: ResultFact };

/** The calls of an answer that only read, with their results; null if it has others. */
function readingSteps(call: RecordedCall, next: RecordedCall | undefined): Step[] | null {
  const uses = call.answer.filter((block): block is ToolUseBlock => block.type === "tool_use");
  if (!next || uses.length === 0 || next.turnStart || !uses.every(readsOnly)) return null;
  const results = next.before.filter((fact): fact is ResultFact => fact.type === "result");
  const steps = uses.flatMap((use) => {
    const result = results.find(({ toolUse }) => toolUse === use.id);
    return result ? [{ use, result }] : [];
  });
  return steps.length === uses.length && next.before.length === results.length ? steps : null;
}

const said = ({ answer }: RecordedCall): string =>
  answer
    .map((block) => (block.type === "tool_use" ? JSON.stringify(block.input) : blockText([block])))
    .join("\n");

/** Whether a later answer quotes a line of the result. */
function isQuoted({ result }: Step, later: string): boolean {
  return blockText(result.content)
    .split("\n")
    .map((line) => line.replace(/^\s*\d+[\t→]/, "").trim())
    .some(
      (line) => line.length >= verbatimChars && later.includes(JSON.stringify(line).slice(1, -1)),
    );
}

/** Calls from `start` on that one script can make; empty: fewer than five. */
function findRun(calls: readonly RecordedCall[], start: number): { steps: Step[]; end: number } {
  const steps: Step[] = [];
  let end = start;
  for (; end < calls.length; end++) {
    const call = calls[end];
    const found = call && readingSteps(call, calls[end + 1]);
    if (!found || (end > start && call.turnStart)) break;
    const later = calls
      .slice(end + 1)
      .map(said)
      .join("\n");
    if (found.some((step) => isQuoted(step, later))) break;
    steps.push(...found);
  }
  return steps.length >= shortestRun ? { steps, end } : { steps: [], end: start };
}

/** Program and output of the script that stands for a run. `needed`: words of later calls. */
function toScript(steps: readonly Step[], needed: ReadonlySet<string>) {
  const calls = steps.map(({ use }) => [use.name.toLowerCase(), use.input]);
  const printed = steps.map(({ result }) => {
    const lines = blockText(result.content).split("\n");
    const kept = lines.filter((line) => [...tellingWords(line)].some((word) => needed.has(word)));
    return [`${lines.length} lines`, ...kept.slice(0, printedLines)]
      .map((line) => line.slice(0, printedChars))
      .join("\n");
  });
  const words = [...needed].filter((word) => printed.some((text) => text.includes(word)));
  const code = `for (const [name, input] of ${JSON.stringify(calls)}) {
  const lines = (await globalThis[name](input)).split("\\n");
  console.log(lines.length + " lines");
  console.log(lines.filter((line) => /${words.slice(0, 20).join("|")}/.test(line)).slice(0, ${printedLines}).join("\\n"));
}`;
  return { code, output: printed.join("\n") };
}

type Found = { runs: number; calls: number; requests: number };

/** The recording with each run as one call of Script. */
function withScripts(recording: Recording): { recording: Recording; found: Found } {
  const { calls } = recording;
  const found: Found = { runs: 0, calls: 0, requests: 0 };
  const rewritten: RecordedCall[] = [];
  let before: RecordedCall["before"] | null = null;
  for (let at = 0; at < calls.length;) {
    const call = calls[at];
    if (!call) break;
    const { steps, end } = findRun(calls, at);
    const first = before ?? call.before;
    before = null;
    if (steps.length === 0) {
      rewritten.push({ ...call, before: first });
      at++;
      continue;
    }
    const needed = tellingWords(calls.slice(end).map(said).join("\n"));
    const { code, output } = toScript(steps, needed);
    const use = { type: "tool_use", id: `script-${at}`, name: "Script", input: { code } } as const;
    const words = call.answer.filter((block) => block.type !== "tool_use");
    rewritten.push({ ...call, before: first, answer: [...words, use], outputTokens: null });
    const content = [{ type: "text" as const, text: output }];
    const lines = output.split("\n").length;
    const bytes = Buffer.byteLength(output);
    before = [{ type: "result", toolUse: use.id, tool: "Script", content, bytes, lines }];
    found.runs++;
    found.calls += steps.length;
    found.requests += end - at;
    at = end;
  }
  return { recording: { ...recording, calls: rewritten }, found };
}

const rules = { ...lookUpRules("claude-sonnet-5-5"), windowTokens: 200_000 };
const settings = { rules, overheadTokens: 9_000, ttl: null };

const measure = (recording: Recording) => {
  const { usage, usd, calls } = simulate(recording, [], policies.balanced, settings);
  const read = usage.input + usage.cacheRead + usage.cacheWrite;
  return { calls, read, output: usage.output, usd };
};

const paths = (await Promise.all(process.argv.slice(2).map(findRecordings))).flat();
type Measured = ReturnType<typeof measure>;
const rows: { found: Found; plain: Measured; scripted: Measured }[] = [];
for (const path of paths) {
  try {
    const recording = await readRecording(path);
    const { recording: scripted, found } = withScripts(recording);
    rows.push({ found, plain: measure(recording), scripted: measure(scripted) });
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
  }
}
const sum = (pick: (row: (typeof rows)[number]) => number): number =>
  rows.reduce((total, row) => total + pick(row), 0);
const ratio = (key: "read" | "output" | "usd" | "calls", only: typeof rows): string => {
  const total = (which: "plain" | "scripted"): number =>
    only.reduce((so, row) => so + row[which][key], 0);
  return (total("scripted") / total("plain")).toFixed(3);
};
const affected = rows.filter(({ found }) => found.runs > 0);
console.log(
  `${rows.length} sessions; ${affected.length} with a run: ${sum(({ found }) => found.runs)} runs of ${sum(({ found }) => found.calls)} calls in ${sum(({ found }) => found.requests)} requests`,
);
console.log("with scripts / without         requests  tokens read  tokens written  cost");
for (const [name, only] of [
  ["all sessions", rows],
  ["sessions with a run", affected],
] as const)
  console.log(
    `${name.padEnd(30)} ${ratio("calls", only).padEnd(9)} ${ratio("read", only).padEnd(12)} ${ratio("output", only).padEnd(15)} ${ratio("usd", only)}`,
  );
