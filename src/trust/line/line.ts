/**
 * The simple commands of a shell line: those in functions, loops and substitutions, behind wrappers
 * such as `env`, and in scripts that are passed along.
 */

import { forEachChild, parse, type Command, type Redirection, type SyntaxNode } from "unbash";
import { unwrap } from "./unwrap.ts";

export type SimpleCommand = {
  /** Program and arguments, as far as the line determines them. */
  argv: readonly string[];
  /** The shell passes on exactly these words. */
  isLiteral: boolean;
  /** Files that its output goes to. */
  writes: readonly string[];
  /** Texts and files that it reads as its input. */
  inputs: readonly string[];
  /** Working folder of the command, absolute or relative to that of the line. */
  cwd: string;
};

export type Line = {
  text: string;
  commands: readonly SimpleCommand[];
  /** One command after another, each of literal words and patterns: nothing else can happen. */
  isPlain: boolean;
  /** False when there may be more commands, nested too deeply or beyond the limit. */
  isWhole: boolean;
  /** A background process outlives the line. */
  inBackground: boolean;
};

const maxDepth = 10;
const maxCommands = 2_000;
/** A longer line is not read at all. */
const maxChars = 20_000;

export function readLine(text: string, cwd = "."): Line {
  const reader = new Reader(cwd);
  reader.readScript(withValues(text), 0);
  const { commands, isWhole, inBackground } = reader;
  return { text, commands, isWhole, inBackground, isPlain: isWhole && isPlainText(text) };
}

class Reader {
  readonly commands: SimpleCommand[] = [];
  inBackground = false;
  isWhole = true;
  #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  readScript(text: string, depth: number): void {
    if (text.length > maxChars) this.isWhole = false;
    else for (const statement of parse(text).commands) this.#visit(statement, depth);
  }

  #visit(node: SyntaxNode, depth: number): void {
    if (depth > maxDepth || this.commands.length > maxCommands) {
      this.isWhole = false;
      return;
    }
    if (node.type === "Command") return this.#command(node, depth);
    if (node.type === "Coproc" || (node.type === "Statement" && node.background))
      this.inBackground = true;
    const inner = node.type === "Script" ? depth + 1 : depth;
    forEachChild(node, (child) => this.#visit(child, inner));
  }

  #command(node: Command, depth: number): void {
    const values = node.args.flatMap((arg) => {
      if (arg.type === "Word") return arg;
      return arg.value.type === "Word"
        ? { ...arg.value, value: `${arg.name}=${arg.value.value}` }
        : [];
    });
    const all = [...(node.name ? [node.name] : []), ...values];
    const argv = all.flatMap(({ value }) => expandBraces(value));
    const targets = node.redirects.map(redirected);
    const base = {
      writes: targets.flatMap(({ writes = [] }) => writes),
      inputs: targets.flatMap(({ inputs = [] }) => inputs),
      cwd: this.#cwd,
      isLiteral:
        node.prefix.length === 0 &&
        all.length === node.args.length + (node.name ? 1 : 0) &&
        [...all, ...node.redirects.flatMap(targetOf)].every(({ text }) =>
          literal.test(text.replace(quoted, "Q")),
        ),
    };
    if (argv.length + base.writes.length > 0) this.commands.push({ ...base, argv });
    forEachChild(node, (child) => this.#visit(child, depth + 1));
    this.#unwrap({ ...base, argv }, depth + 1);
    const [name = "", ...args] = argv;
    if (name !== "cd" && name !== "pushd") return;
    const folder = args.find((word) => !/^-./.test(word)) ?? "~";
    this.#cwd = /^[/~]/.test(folder) ? folder : `${this.#cwd}/${folder}`;
  }

  #unwrap(command: SimpleCommand, depth: number): void {
    const { commands = [], scripts = [] } = unwrap(command.argv, command.inputs);
    for (const script of scripts) this.readScript(script, depth);
    for (const argv of commands) {
      this.commands.push({ ...command, argv });
      if (depth < maxDepth) this.#unwrap({ ...command, argv }, depth + 1);
    }
  }
}

const targetOf = (redirect: Redirection) =>
  redirect.type === "HereDoc" ? [] : (redirect.target ?? []);

function redirected(redirect: Redirection): { writes?: string[]; inputs?: string[] } {
  if (redirect.type === "HereDoc") return { inputs: [redirect.body.text] };
  const target = redirect.target ? [redirect.target.value] : [];
  if (redirect.type === "HereString" || redirect.operator === "<") return { inputs: target };
  const isCopy = /^[<>]&$/.test(redirect.operator) && /^(?:\d|-)?$/.test(target[0] ?? "");
  return isCopy ? {} : { writes: target };
}

/** Quoted and plain text that the shell does not expand. */
const quoted = /'[^']*'|"(?:[^"$`\\]|\\[^"$`\\\n])*"/g;
const literal = /^(?!~)(?:(?![=:]~)[\w./:=,@%+^!#~\u0080-\uffff-])*$/;

/** Joins commands, reads a file, writes to /dev/null, or merges the two outputs. */
const operators =
  /&&|\|\||[;|\n]|\\;|(?<![\w/])[12]?>>? ?\/dev\/null(?![^\s;&|])|&>>? ?\/dev\/null(?![^\s;&|])|(?<!\w)[12]?>&[12](?!\w)|(?<![\w<])0?<(?![<&(])/g;

/** One command after another, each of literal words and patterns: then those that were found are all that can run. */
function isPlainText(text: string): boolean {
  // What looks like a comment could hide where a quote begins.
  if (/(?:^|[\s;&|])#|[\r\v\f]/.test(text)) return false;
  const words = text
    .replace(quoted, "Q")
    .replace(operators, " ")
    .trim()
    .split(/[ \t]+/);
  if (!words.every((word) => literal.test(word.replace(/[*?[\]{}]/g, "")))) return false;
  const { errors, commands } = parse(text);
  return !errors && commands.length > 0 && commands.every(isPlainNode);
}

function isPlainNode(node: SyntaxNode): boolean {
  switch (node.type) {
    case "Statement":
      return !node.background && isPlainNode(node.command);
    case "AndOr":
      return node.commands.every(isPlainNode);
    case "Pipeline":
      return node.prefixes.length === 0 && node.commands.every(isPlainNode);
    case "Command":
      return node.name !== undefined && node.prefix.length === 0;
    default:
      return false;
  }
}

const maxVariables = 20;

/** A variable that the line sets to plain text, or that loops over words. */
const assignment =
  /(?<![\w$])(?:for (\w+) in ([^;\n$`"'(){}]{1,500})[;\n]|(\w+)=(?:"([^"$`\n]{1,200})"|'([^'\n]{1,200})'|([\w./~:@%+*-]{1,200}))(?=[\s;&|)]|$))/g;

/** Replaces what the line itself determines: variables, and the output of `pwd` and `echo`. */
function withValues(text: string): string {
  let read = text
    .replace(/\$\(pwd\)|\$\{PWD\}|\$PWD\b/g, ".")
    .replace(/\becho ([\w./~*-]+) *\| *xargs ([^|;&\n]+)/g, "$2 $1")
    .replace(/\becho ('[^']*'|"[^"$`]*") *\| *((?:ba|z|da)?sh)\b/g, "$2 -c $1")
    .replace(/\$\((?:echo|which|command -v) ([^\s"'$`;&|<>()]+)\)/g, "$1");
  for (const found of [...read.matchAll(assignment)].slice(0, maxVariables)) {
    const [, loop, list = "", name = loop, ...values] = found;
    const words = list.trim().split(/\s+/);
    const value = words.length > 1 ? `{${words.join(",")}}` : values.concat(words).find(Boolean);
    if (name === undefined || read.length > maxChars) break;
    const use = new RegExp(`\\$\\{${name}\\}|\\$${name}\\b`, "g");
    read = read.replace(use, () => value ?? "");
  }
  return read;
}

const maxWords = 64;

/** `a{b,c}` as `ab` and `ac`; anything else is unchanged. */
function expandBraces(text: string): string[] {
  const done: string[] = [];
  const open = [text];
  for (let word = open.shift(); word !== undefined; word = open.shift()) {
    const group = /\{([^{}]*,[^{}]*)\}/.exec(word);
    if (!group || done.length + open.length > maxWords) {
      done.push(word);
      continue;
    }
    const start = word.slice(0, group.index);
    const end = word.slice(group.index + group[0].length);
    open.push(...(group[1] ?? "").split(",").map((choice) => start + choice + end));
  }
  return done;
}
