/** Parses the keys of normal and visual mode into a command. */

import { isMotion } from "./motions.ts";
import { isObject } from "./objects.ts";

/** Delete, change, yank. */
export type Operator = "d" | "c" | "y";

export type VimCommand = {
  count: number | null;
  operator: Operator | null;
  /** A motion, a text object ("iw"), "line" for a doubled operator, or a standalone command. */
  key: string;
  /** The character after f, F, t, T and r. */
  char: string;
};

const standalone = new Set("i a I A o O x X s S C D Y p P u ctrl+r . J ~ v V delete".split(" "));
const takesChar = /^[fFtT]$/;

/** Returns "more" for an incomplete command and null for an invalid one. */
export function parse(keys: readonly string[], isVisual: boolean): VimCommand | "more" | null {
  let at = 0;
  const number = (): number | null => {
    let digits = "";
    for (let key = keys[at]; key !== undefined; key = keys[++at]) {
      if (!/^\d$/.test(key) || (key === "0" && digits === "")) break;
      digits += key;
    }
    return digits === "" ? null : Math.min(9_999, Number(digits));
  };
  const first = number();
  const isOperator = (key: string | undefined): key is Operator =>
    key === "d" || key === "c" || key === "y";
  let operator: VimCommand["operator"] = null;
  const word = keys[at];
  if (word === undefined) return "more";
  if (isOperator(word)) {
    at++;
    if (isVisual) return { count: first, operator: word, key: "selection", char: "" };
    operator = word;
  }
  const second = number();
  const count = second === null ? first : (first ?? 1) * second;
  const [key, char] = keys.slice(at);
  if (key === undefined) return "more";
  if (key === operator) return { count, operator, key: "line", char: "" };
  if (key === "g") return char === undefined ? "more" : char === "g" ? done("gg") : null;
  if (takesChar.test(key) || (key === "r" && operator === null)) {
    if (char === undefined) return "more";
    return [...char].length > 0 && !/^[a-z]{2,}|\+/.test(char) ? done(key, char) : null;
  }
  const wantsObject = (key === "i" || key === "a") && (operator !== null || isVisual);
  if (wantsObject) return char === undefined ? "more" : isObject(char) ? done(key + char) : null;
  if (isMotion(key) || key === ";" || key === ",") return done(key);
  if (operator === null && (standalone.has(key) || (isVisual && key === "o"))) return done(key);
  return null;

  function done(name: string, character = ""): VimCommand {
    return { count, operator, key: name, char: character };
  }
}
