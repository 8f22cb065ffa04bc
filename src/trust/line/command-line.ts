/** A command line as the shell reads it. What is not plainly one command after another is unclear. */

import { parse, type Command, type Redirection, type Statement, type SyntaxNode } from "unbash";
import { literal, readWord, type Word } from "./word.ts";

export type Step = {
  /** How it follows the step before it. */
  joint: ";" | "&&" | "||" | "|";
  words: Word[];
  /** Files that are read as its input. */
  reads: Word[];
  /** Redirections, as shell source. */
  redirects: string;
  /** Where its words and redirections are in the line. */
  ranges: (readonly [from: number, to: number])[];
};

/** A longer line is not read at all. */
export const maxLineChars = 20_000;

// eslint-disable-next-line no-control-regex
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/;

/** Steps of a line that does nothing else; null when that cannot be said for sure. */
export function readClearLine(line: string): Step[] | null {
  // `$[` is an old form of arithmetic that bash still supports.
  if (line.length > maxLineChars || controls.test(line) || line.includes("$[")) return null;
  const script = parse(line);
  if (script.errors || script.commands.length === 0) return null;
  try {
    const steps = script.commands.flatMap(readStatement);
    return isCovered(line, steps) ? steps : null;
  } catch (error) {
    if (error === unclear) return null;
    throw error;
  }
}

/** Shell source that runs exactly these steps, whatever the shell makes of the original line. */
export function renderLine(steps: readonly Step[]): string {
  return steps
    .map(({ joint, words, redirects }, at) => {
      const command = words.map((word) => word.source).join(" ");
      return `${at === 0 ? "" : ` ${joint} `}${command}${redirects}`;
    })
    .join("");
}

/** Between what was read there are only the signs that join commands, and comments. */
function isCovered(line: string, steps: readonly Step[]): boolean {
  const ranges = steps.flatMap((step) => step.ranges).toSorted(([a], [b]) => a - b);
  let end = 0;
  for (const [from, to] of [...ranges, [line.length, line.length] as const]) {
    if (!/^(?:[ \t\n;&|]|\\\n|#[^\n]*)*$/.test(line.slice(end, from))) return false;
    end = Math.max(end, to);
  }
  return true;
}

const unclear = new Error("The line is not clear.");

function readStatement(statement: Statement): Step[] {
  if (statement.background) throw unclear;
  return readNode(statement.command, ";");
}

function readNode(node: SyntaxNode, joint: Step["joint"]): Step[] {
  switch (node.type) {
    case "Command":
      return [readCommand(node, joint)];
    case "AndOr":
      return node.commands.flatMap((inner, at) => readNode(inner, node.operators[at - 1] ?? joint));
    case "Pipeline":
      if (node.prefixes.length > 0 || node.operators.includes("|&")) throw unclear;
      return node.commands.flatMap((inner, at) => readNode(inner, at === 0 ? joint : "|"));
    default:
      throw unclear;
  }
}

function readCommand(command: Command, joint: Step["joint"]): Step {
  if (!command.name || command.prefix.length > 0) throw unclear;
  const ranges = [command.name, ...command.suffix].map(({ pos, end }) => [pos, end] as const);
  const step: Step = { joint, words: [readWord(command.name)], reads: [], redirects: "", ranges };
  for (const part of command.suffix) {
    if (part.type === "Word") step.words.push(readWord(part));
    // To a program, an argument such as `of=file` is a word like any other.
    else if (part.type === "Assignment") step.words.push(assignmentWord(part));
    else readRedirection(part, step);
  }
  if (step.words.some((word) => word.kind === "dynamic")) throw unclear;
  return step;
}

function assignmentWord(part: Extract<Command["suffix"][number], { type: "Assignment" }>): Word {
  if (part.value.type !== "Word" || part.index || part.append) throw unclear;
  const value = readWord(part.value);
  if (value.kind !== "literal" || value.text.startsWith("~")) throw unclear;
  return literal(`${part.name}=${value.text}`);
}

/** Only reading a file, writing to /dev/null and merging the two outputs are clear. */
function readRedirection(part: Redirection, step: Step): void {
  if (part.type !== "Redirect" || !part.target) throw unclear;
  const target = readWord(part.target);
  if (target.kind !== "literal") throw unclear;
  const from = part.descriptor?.type === "FileDescriptor" ? part.descriptor.value : null;
  if (part.descriptor && (from === null || from > 2)) throw unclear;
  const number = from === null ? "" : String(from);
  switch (part.operator) {
    case "<":
      if (number !== "" && number !== "0") throw unclear;
      step.reads.push(target);
      break;
    case ">":
    case ">>":
    case "&>":
    case "&>>":
      if (target.text !== "/dev/null" || number === "0") throw unclear;
      break;
    case ">&":
      if (!/^[12]$/.test(part.target.text) || number === "0") throw unclear;
      step.redirects += ` ${number}>&${target.text}`;
      return;
    default:
      throw unclear;
  }
  step.redirects += ` ${number}${part.operator}${target.source}`;
}
