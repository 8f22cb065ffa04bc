/**
 * Whether a line is one command after another, each of literal words and patterns. Then the commands
 * that were found are all that can run, which rules of the user rely on.
 */

import {
  parse,
  type Command,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
} from "unbash";

type Range = readonly [from: number, to: number];

export function isPlainScript(text: string): boolean {
  // `$[` is an old form of arithmetic that bash still supports.
  if (/[\r\v\f]/.test(text) || text.includes("$[")) return false;
  const script = parse(text);
  if (script.errors || script.commands.length === 0) return false;
  const ranges: Range[] = [];
  return (
    script.commands.every((statement) => isPlain(statement, ranges)) && isCovered(text, ranges)
  );
}

function isPlain(node: Statement | SyntaxNode, ranges: Range[]): boolean {
  switch (node.type) {
    case "Statement":
      return !node.background && isPlain(node.command, ranges);
    case "AndOr":
      return node.commands.every((inner) => isPlain(inner, ranges));
    case "Pipeline":
      return (
        node.prefixes.length === 0 &&
        !node.operators.includes("|&") &&
        node.commands.every((inner) => isPlain(inner, ranges))
      );
    case "Command":
      return isPlainCommand(node, ranges);
    default:
      return false;
  }
}

function isPlainCommand(command: Command, ranges: Range[]): boolean {
  if (!command.name || command.prefix.length > 0) return false;
  ranges.push(...[command.name, ...command.suffix].map(({ pos, end }) => [pos, end] as const));
  return (
    isPlainWord(command.name) &&
    command.suffix.every((part) => {
      if (part.type === "Word") return isPlainWord(part);
      // To a program, an argument such as `of=file` is a word like any other.
      if (part.type === "Assignment")
        return part.value.type === "Word" && !part.index && !part.append && isPlainWord(part.value);
      return isPlainRedirection(part);
    })
  );
}

/** Only reading a file, writing to /dev/null and merging the two outputs. */
function isPlainRedirection(part: Redirection): boolean {
  if (part.type !== "Redirect" || !part.target || !isPlainWord(part.target)) return false;
  const from = part.descriptor?.type === "FileDescriptor" ? part.descriptor.value : null;
  if (part.descriptor && (from === null || from > 2)) return false;
  switch (part.operator) {
    case "<":
      return from === null || from === 0;
    case ">":
    case ">>":
    case "&>":
    case "&>>":
      return part.target.value === "/dev/null" && from !== 0;
    case ">&":
      return /^[12]$/.test(part.target.text) && from !== 0;
    default:
      return false;
  }
}

/** Bash expands a tilde after `=`, too. */
const isPlainWord = (word: Word): boolean =>
  !/^(?:\w+\+?=)?~/.test(word.text) && (word.parts ?? []).every(isPlainPart);

/** The shell passes it on as it is. */
export const isLiteralWord = (word: Word): boolean =>
  isPlainWord(word) && !word.parts?.some(({ type }) => /^(?:Glob|BraceExpansion)$/.test(type));

function isPlainPart(part: NonNullable<Word["parts"]>[number]): boolean {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
    case "Glob":
    case "BraceExpansion":
      return true;
    case "DoubleQuoted":
      return part.parts.every((inner) => inner.type === "Literal");
    default:
      return false;
  }
}

/** Between what was read there are only the signs that join commands, and comments. */
function isCovered(text: string, ranges: readonly Range[]): boolean {
  let end = 0;
  for (const [from, to] of [
    ...ranges.toSorted(([a], [b]) => a - b),
    [text.length, text.length] as const,
  ]) {
    if (!/^(?:[ \t\n;&|]|\\\n|#[^\n]*)*$/.test(text.slice(end, from))) return false;
    end = Math.max(end, to);
  }
  return true;
}
