/** Read-only commands whose arguments follow a grammar of their own. */

import type { Operands } from "./commands.ts";

/** What they read. */
type SpecialReads = { operands: Operands; named: readonly string[] };

const nothing: SpecialReads = { operands: "none", named: [] };

/** Null: not known to be read-only. */
export function readSpecial(name: string, args: readonly string[]): SpecialReads | null | "other" {
  switch (name) {
    case "echo":
      return nothing;
    case "printf":
      return args[0] !== undefined && printfFormat.test(args[0]) ? nothing : null;
    case "date":
      return args.every((arg) => dateArgument.test(arg)) ? nothing : null;
    case "sed":
      return readSed(args);
    case "test":
      return readTest(args);
    case "[":
      return args.at(-1) === "]" ? readTest(args.slice(0, -1)) : null;
    case "find":
      return readFind(args);
    case "command":
      return args[0] === "-v" && args.length === 2 && /^[\w.+-]+$/.test(args[1] ?? "")
        ? nothing
        : null;
    default:
      return "other";
  }
}

/** `%n` writes to a variable, `-v` does, too. */
const printfFormat = /^(?!-)(?:[^%]|%%|%[-+ 0#]{0,3}\d{0,4}(?:\.\d{0,4})?[sbdiouxXeEfgGcq])*$/;

const dateArgument = /^(?:\+[\s\S]*|-u|--utc|-R|--rfc-email|-I\w*|--iso-8601(?:=\w+)?)$/;

/** Printing lines by their numbers or by what is in them, and nothing else of what sed can do. */
const line = "(?:\\d+|\\$|/(?:[^/\\\\\\n]|\\\\[.*[\\]^$/|?+()])*/)";
const lines = `${line}(?:,${line})?p`;
const sedScript = new RegExp(`^${lines}(?:;${lines})*;?$`);

function readSed(args: readonly string[]): SpecialReads | null {
  const [option, script, ...files] = args;
  if (option !== "-n" || !sedScript.test(script ?? "")) return null;
  return files.some((file) => file.startsWith("-")) ? null : { operands: "files", named: files };
}

function readTest(args: readonly string[]): SpecialReads | null {
  const [operator, path] = args[0] === "!" ? args.slice(1) : args;
  if (path === undefined || args.length > (args[0] === "!" ? 3 : 2)) return null;
  if (/^-[nz]$/.test(operator ?? "")) return nothing;
  return /^-[defrswxhL]$/.test(operator ?? "") ? { operands: "paths", named: [path] } : null;
}

const findTests: ReadonlyMap<string, RegExp> = new Map([
  ...["-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-printf"].map(
    (test) => [test, /^/] as const,
  ),
  ["-regextype", /^[\w-]+$/],
  ["-type", /^[bcdpfls,]+$/],
  ...["-maxdepth", "-mindepth"].map((test) => [test, /^\d{1,4}$/] as const),
  ["-size", /^[+-]?\d+[bcwkMG]?$/],
  ...["-mtime", "-mmin", "-ctime", "-cmin"].map((test) => [test, /^[+-]?\d+$/] as const),
  ["-perm", /^[-/\w+=,]+$/],
]);

const findWords =
  /^(?:-empty|-executable|-readable|-writable|-print|-print0|-ls|-prune|-depth|-xdev|-mount|-not|-and|-a|-or|-o|-true|-false|!|\(|\)|,)$/;

function readFind(args: readonly string[]): SpecialReads | null {
  const start = args.findIndex((arg) => /^(?:-|[!(),]$)/.test(arg));
  const trees = start === -1 ? args : args.slice(0, start);
  const rest = start === -1 ? [] : args.slice(start);
  while (rest.length > 0) {
    const word = rest.shift() ?? "";
    const value = findTests.get(word);
    if (value ? !value.test(rest.shift() ?? "\0") : !findWords.test(word)) return null;
  }
  return { operands: "trees", named: trees.length === 0 ? ["."] : trees };
}
