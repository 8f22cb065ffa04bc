/** Read-only commands whose arguments follow a grammar of their own. What they read; null: not known to be read-only. */

type SpecialReads = { files: string[]; paths: string[]; trees: string[] };

const nothing: SpecialReads = { files: [], paths: [], trees: [] };

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

/** Printing lines by their numbers, and nothing else of what sed can do. */
const sedScript = /^(?:\d+|\$)(?:,(?:\d+|\$))?p(?:;(?:\d+|\$)(?:,(?:\d+|\$))?p)*;?$/;

function readSed(args: readonly string[]): SpecialReads | null {
  const [option, script, ...files] = args;
  if (option !== "-n" || !sedScript.test(script ?? "")) return null;
  return files.some((file) => file.startsWith("-")) ? null : { ...nothing, files };
}

function readTest(args: readonly string[]): SpecialReads | null {
  const [operator, path] = args[0] === "!" ? args.slice(1) : args;
  if (path === undefined || args.length > (args[0] === "!" ? 3 : 2)) return null;
  if (/^-[nz]$/.test(operator ?? "")) return nothing;
  return /^-[defrswxhL]$/.test(operator ?? "") ? { ...nothing, paths: [path] } : null;
}

const findTests = new Map<string, RegExp>([
  ["-name", /^/],
  ["-iname", /^/],
  ["-path", /^/],
  ["-ipath", /^/],
  ["-wholename", /^/],
  ["-regex", /^/],
  ["-iregex", /^/],
  ["-regextype", /^[\w-]+$/],
  ["-type", /^[bcdpfls,]+$/],
  ["-maxdepth", /^\d{1,4}$/],
  ["-mindepth", /^\d{1,4}$/],
  ["-size", /^[+-]?\d+[bcwkMG]?$/],
  ["-mtime", /^[+-]?\d+$/],
  ["-mmin", /^[+-]?\d+$/],
  ["-ctime", /^[+-]?\d+$/],
  ["-cmin", /^[+-]?\d+$/],
  ["-perm", /^[-/\w+=,]+$/],
  ["-printf", /^/],
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
  return { ...nothing, trees: trees.length === 0 ? ["."] : [...trees] };
}
