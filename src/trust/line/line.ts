/**
 * The simple commands of a shell line: those in functions, loops and substitutions, behind wrappers
 * such as `env`, and in scripts that are passed along.
 */

import { forEachChild, parse, type Command, type Redirection, type SyntaxNode } from "unbash";
import { isLiteralWord, isPlainScript } from "./plain.ts";
import { programName, unwrap } from "./unwrap.ts";
import { Values, withoutOptions } from "./values.ts";

export type SimpleCommand = {
  /** Program and arguments, as far as the line determines them. */
  argv: readonly string[];
  /** The shell passes on exactly these words. */
  isLiteral: boolean;
  /** Files that its output goes to. */
  writes: readonly string[];
  /** Texts and files that it reads as its input. */
  inputs: readonly string[];
  /** One reading of another command's words, perhaps a wrong one. */
  guessed?: true;
  /** Where it runs, absolute or relative to where the line starts. */
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
  if (text.length > maxChars) reader.isWhole = false;
  else reader.readScript(text, 0, []);
  return {
    text,
    commands: reader.commands,
    isPlain: reader.isWhole && isPlainScript(text),
    isWhole: reader.isWhole,
    inBackground: reader.inBackground,
  };
}

class Reader {
  readonly commands: SimpleCommand[] = [];
  inBackground = false;
  isWhole = true;
  readonly #values = new Values();
  #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  readScript(text: string, depth: number, piped: readonly SimpleCommand[]): void {
    if (this.#isTooMuch(depth)) return;
    for (const statement of parse(text).commands) this.#visit(statement, depth, piped);
  }

  /** `piped`: the commands before it in the pipe. */
  #visit(node: SyntaxNode, depth: number, piped: readonly SimpleCommand[]): void {
    if (this.#isTooMuch(depth)) return;
    switch (node.type) {
      case "Pipeline": {
        let before: readonly SimpleCommand[] = [];
        for (const command of node.commands) {
          const from = this.commands.length;
          this.#visit(command, depth, before);
          before = [...before, ...this.commands.slice(from)];
        }
        return;
      }
      case "For":
        this.#values.set(
          node.name.text,
          (node.wordlist ?? []).flatMap((word) => this.#values.fields(word)),
        );
        break;
      case "Statement":
        if (node.background) this.inBackground = true;
        break;
      case "Coproc":
        this.inBackground = true;
        break;
      case "Command":
        return this.#command(node, depth, piped);
      default:
        break;
    }
    const inner = node.type === "Script" ? depth + 1 : depth;
    forEachChild(node, (child) => this.#visit(child, inner, piped));
  }

  #isTooMuch(depth: number): boolean {
    if (depth <= maxDepth && this.commands.length <= maxCommands) return false;
    this.isWhole = false;
    return true;
  }

  #command(node: Command, depth: number, piped: readonly SimpleCommand[]): void {
    const { words, isLiteral } = this.#words(node);
    const targets = node.redirects.map((redirect) => this.#redirected(redirect));
    const base = {
      writes: targets.flatMap(({ writes }) => writes),
      inputs: [...targets.flatMap(({ inputs }) => inputs), ...guessOutput(piped)],
      cwd: this.#cwd,
      isLiteral,
    };
    if (words.length > 0 || base.writes.length > 0) this.commands.push({ ...base, argv: words });
    const from = this.commands.length;
    forEachChild(node, (child) => this.#visit(child, depth + 1, []));
    const inputs = [...base.inputs, ...guessOutput(this.commands.slice(from))];
    for (const { argv, script, guessed } of unwrap(words, inputs)) {
      const mark = guessed === undefined ? {} : { guessed };
      if (argv !== undefined) this.commands.push({ ...base, argv, ...mark });
      if (script !== undefined) this.readScript(script, depth + 1, piped);
    }
    const [name = ""] = words;
    if (name === "cd" || name === "pushd")
      this.#enter(words.find((word, place) => place > 0 && !/^-./.test(word)) ?? "~");
  }

  /** Its words, and whether they are all that it can be. */
  #words(node: Command): { words: string[]; isLiteral: boolean } {
    for (const part of node.prefix) {
      if (part.type === "Assignment" && part.value.type === "Word")
        this.#values.set(part.name, this.#values.text(part.value));
    }
    let isLiteral = node.prefix.length === 0;
    const words = node.name ? this.#values.fields(node.name) : [];
    if (node.name && !isLiteralWord(node.name)) isLiteral = false;
    for (const arg of node.args) {
      const word = arg.type === "Word" ? arg : arg.value.type === "Word" ? arg.value : null;
      if (word === null || !isLiteralWord(word)) isLiteral = false;
      if (arg.type === "Word") words.push(...this.#values.fields(arg));
      else if (arg.value.type === "Word") {
        const texts = this.#values.text(arg.value);
        this.#values.set(arg.name, texts);
        words.push(...texts.map((text) => `${arg.name}=${text}`));
      }
    }
    return { words, isLiteral };
  }

  #redirected(redirect: Redirection): { writes: string[]; inputs: string[] } {
    if (redirect.type === "HereDoc") return { writes: [], inputs: [redirect.body.text] };
    const targets = redirect.target ? this.#values.text(redirect.target) : [];
    if (redirect.type === "HereString") return { writes: [], inputs: targets };
    if (redirect.operator === "<") return { writes: [], inputs: targets };
    const isCopy = redirect.operator === "<&" || redirect.operator === ">&";
    const isNumber = targets.every((target) => /^\d$|^-$/.test(target));
    return isCopy && isNumber ? { writes: [], inputs: [] } : { writes: targets, inputs: [] };
  }

  #enter(folder: string): void {
    this.#cwd = /^[/~]/.test(folder) ? folder : `${this.#cwd}/${folder}`;
  }
}

/** The output of `echo` and the like, for a shell or `xargs` that reads it. */
const guessOutput = (commands: readonly SimpleCommand[]): string[] =>
  commands.flatMap(({ argv: [name = "", ...args], inputs }) => {
    switch (programName(name)) {
      case "echo":
        return [withoutOptions(args).join(" ")];
      case "printf":
        return [args.join(" ").replaceAll("\\n", "\n"), args.slice(1).join(" ")];
      case "cat":
      case "tee":
        return [...inputs];
      default:
        return [];
    }
  });
