/** The values of variables and words, as far as the line itself determines them. */

import type { Word, WordPart } from "unbash";

const maxAlternatives = 64;
const maxChars = 10_000;

export class Values {
  readonly #known = new Map<string, readonly string[]>([
    ["HOME", ["~"]],
    ["PWD", ["."]],
    ["IFS", [" "]],
  ]);

  set(name: string, values: readonly string[]): void {
    if (name !== "HOME" && values.length > 0)
      this.#known.set(name, values.slice(0, maxAlternatives));
  }

  /** Every text that the word may stand for. Unknown parts stay as written. */
  text(word: Word): string[] {
    return this.#parts(word.parts, word.value);
  }

  /** As arguments: what a variable holds is split at spaces unless it is quoted. */
  fields(word: Word): string[] {
    const texts = this.text(word).flatMap(expandBraces);
    const isQuoted = !word.parts?.some((part) => unquotedExpansion.has(part.type));
    return isQuoted
      ? texts
      : texts.flatMap((text) => text.split(/\s+/).filter((field) => field !== ""));
  }

  #parts(parts: readonly WordPart[] | undefined, otherwise: string): string[] {
    if (!parts) return [otherwise];
    let texts = [""];
    for (const part of parts) {
      const next = this.#part(part);
      texts = texts
        .flatMap((text) => next.map((more) => (text + more).slice(0, maxChars)))
        .slice(0, maxAlternatives);
    }
    return texts;
  }

  #part(part: WordPart): readonly string[] {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
      case "AnsiCQuoted":
        return [part.value];
      case "DoubleQuoted":
      case "LocaleString":
        return this.#parts(part.parts, part.text);
      case "SimpleExpansion":
        return this.#known.get(part.text.slice(1)) ?? [part.text];
      case "ParameterExpansion": {
        const known = part.prefix || part.index ? undefined : this.#known.get(part.parameter);
        if (known) return known;
        return part.operation?.type === "Default" && /[-=]/.test(part.operation.operator)
          ? this.text(part.operation.operand)
          : [part.text];
      }
      case "CommandExpansion":
        return [outputOf(part.text) ?? part.text];
      default:
        return [part.text];
    }
  }
}

const unquotedExpansion: ReadonlySet<WordPart["type"]> = new Set([
  "SimpleExpansion",
  "ParameterExpansion",
  "CommandExpansion",
]);

/** The output of `$(pwd)`, `$(echo text)` and `$(which program)`. */
const outputOf = (text: string): string | undefined =>
  text === "$(pwd)" ? "." : /^\$\((?:echo|which|command -v) ([^\s"'$`;&|<>()]+)\)$/.exec(text)?.[1];

/** Arguments of `echo` and `which` after their options, which come first. */
export function withoutOptions(args: readonly string[]): readonly string[] {
  const start = args.findIndex((arg) => !/^-[a-zA-Z]+$/.test(arg));
  return start === -1 ? [] : args.slice(start);
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
