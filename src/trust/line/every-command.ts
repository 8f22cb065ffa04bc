/**
 * Every command that a line may end up running, as far as that can be determined: in functions,
 * loops, substitutions, shells and scripts that are passed along. For warnings and for rules that
 * deny, never for permission: the list may be incomplete.
 */

import { forEachChild, parse, type Redirection, type SyntaxNode, type Word } from "unbash";
import { Values, withoutOptions } from "./values.ts";
import { interpreters, programName, unwrap } from "./unwrap.ts";

export type FoundCommand = {
  argv: readonly string[];
  /** Files that its output goes to. */
  writes: readonly string[];
  /** Texts that it reads as its input. */
  inputs: readonly string[];
  /** It is only a text in a program of another language. */
  guessed?: true;
  /** Where it runs, absolute or relative to where the line starts. */
  cwd: string;
};

export type FoundCommands = {
  commands: FoundCommand[];
  /** A function that starts itself more than once, or in the background. */
  multiplies: boolean;
  /** Something in it runs in the background. */
  inBackground: boolean;
  /** False when there may be more commands, nested too deeply or beyond the limit. */
  isWhole: boolean;
};

const maxDepth = 10;
const maxCommands = 2_000;

export function everyCommand(line: string, cwd = "."): FoundCommands {
  const finder = new Finder(cwd);
  finder.readScript(line, 0);
  return finder;
}

class Finder implements FoundCommands {
  readonly commands: FoundCommand[] = [];
  multiplies = false;
  inBackground = false;
  isWhole = true;
  readonly #values = new Values();
  #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  readScript(text: string, depth: number): void {
    if (this.#isTooMuch(depth)) return;
    for (const statement of parse(text).commands) this.#visit(statement, depth, []);
  }

  /** `input`: texts that a command before it in the pipe writes. */
  #visit(node: SyntaxNode, depth: number, input: readonly string[]): void {
    if (this.#isTooMuch(depth)) return;
    switch (node.type) {
      case "Pipeline": {
        let piped: readonly string[] = [];
        for (const command of node.commands) {
          const before = this.commands.length;
          this.#visit(command, depth, piped);
          piped = guessOutput(this.commands.slice(before));
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
      case "Function":
        if (startsItself(node.name.value, node.body)) this.multiplies = true;
        break;
      case "Command":
        this.#command(node, depth, input);
        break;
      default:
        break;
    }
    const inner = node.type === "Script" ? depth + 1 : depth;
    forEachChild(node, (child) => this.#visit(child, inner, node.type === "Command" ? [] : input));
  }

  #isTooMuch(depth: number): boolean {
    if (depth <= maxDepth && this.commands.length <= maxCommands) return false;
    this.isWhole = false;
    return true;
  }

  #command(
    node: Extract<SyntaxNode, { type: "Command" }>,
    depth: number,
    input: readonly string[],
  ): void {
    const inputs = [...input];
    for (const part of node.prefix) {
      if (part.type === "Assignment" && part.value.type === "Word") {
        this.#values.set(part.name, this.#values.text(part.value));
      }
    }
    const writes = node.redirects.flatMap((redirect) => this.#redirected(redirect, inputs));
    const argv = node.name ? this.#values.fields(node.name) : [];
    for (const arg of node.args) {
      if (arg.type === "Word") {
        argv.push(...this.#values.fields(arg));
        inputs.push(...this.#substituted(arg, depth));
      } else if (arg.value.type === "Word") {
        const texts = this.#values.text(arg.value);
        this.#values.set(arg.name, texts);
        argv.push(...texts.map((text) => `${arg.name}=${text}`));
      }
    }
    if (argv.length === 0) {
      if (writes.length > 0) this.commands.push({ argv, writes, inputs, cwd: this.#cwd });
      return;
    }
    for (const { argv: inner, script } of unwrap(argv, inputs)) {
      if (inner.length > 0) this.commands.push({ argv: inner, writes, inputs, cwd: this.#cwd });
      const before = this.commands.length;
      const { inBackground } = this;
      if (script !== undefined) this.readScript(script, depth + 1);
      if (interpreters.test(programName(argv[0] ?? ""))) {
        for (const found of this.commands.slice(before)) found.guessed = true;
        this.inBackground = inBackground;
      }
    }
    if (argv[0] === "cd" || argv[0] === "pushd") {
      this.#enter(argv.find((arg, at) => at > 0 && !/^-./.test(arg)) ?? "~");
    }
  }

  /** Guesses the output of the commands in `<(...)`. */
  #substituted(word: Word, depth: number): string[] {
    const before = this.commands.length;
    for (const part of word.parts ?? []) {
      if (part.type === "ProcessSubstitution" && part.script)
        this.#visit(part.script, depth + 1, []);
    }
    return guessOutput(this.commands.slice(before));
  }

  #redirected(redirect: Redirection, inputs: string[]): string[] {
    if (redirect.type === "HereDoc") {
      inputs.push(redirect.body.text);
      return [];
    }
    const targets = redirect.target ? this.#values.text(redirect.target) : [];
    if (redirect.type === "HereString") inputs.push(...targets);
    return redirect.type === "Redirect" && redirect.operator !== "<" && redirect.operator !== "<&"
      ? targets
      : [];
  }

  #enter(folder: string): void {
    this.#cwd = /^[/~]/.test(folder) ? folder : `${this.#cwd}/${folder}`;
  }
}

function startsItself(name: string, body: SyntaxNode): boolean {
  let starts = 0;
  let aside = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command" && node.name?.value === name) starts += 1;
    if ((node.type === "Statement" && node.background) || node.type === "Pipeline") aside = true;
    forEachChild(node, visit);
  };
  visit(body);
  return starts > 1 || (starts === 1 && aside);
}

/** Guesses the output of `echo` and the like, for a shell that reads it. */
function guessOutput(found: readonly FoundCommand[]): string[] {
  return found.flatMap(({ argv: [name = "", ...args], inputs }) => {
    switch (programName(name)) {
      case "echo":
        return [withoutOptions(args).join(" ")];
      case "printf":
        return [args.join(" ").replaceAll("\\n", "\n"), args.slice(1).join(" ")];
      case "base64":
        return inputs.map((text) => Buffer.from(text, "base64").toString("utf8"));
      case "rev":
        return inputs.map((text) => [...text].reverse().join(""));
      case "find":
      case "ls":
        return [args.filter((arg) => !arg.startsWith("-")).join(" ")];
      case "cat":
      case "tee":
        return [...inputs];
      default:
        return [];
    }
  });
}
