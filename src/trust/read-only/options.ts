/**
 * The options that a command may be given. Written as `-l` for a flag, `-n=number` for one with a
 * value, `--color?=word` where the value may be missing, `-#` for a number as an option (`-20`).
 * Names count only in full: an abbreviation might be of an option that is not listed.
 */

const values = {
  number: /^[+-]?\d{1,15}[kKmMgGbB]?$/,
  word: /^[\w.,:+-]*$/,
  text: /^/,
};

type ValueKind = keyof typeof values;

type Option = { value: ValueKind | null; required: boolean };

export type OptionList = { options: ReadonlyMap<string, Option>; number: boolean };

export function optionList(text: string): OptionList {
  const words = text.split(" ").filter((word) => word !== "");
  const options = words.map((word): [string, Option] => {
    const [, name = word, mark, kind] = /^([^=?]+)(\?)?=(\w+)$/.exec(word) ?? [];
    return [name, { value: isValueKind(kind) ? kind : null, required: mark !== "?" }];
  });
  return { options: new Map(options), number: words.includes("-#") };
}

const isValueKind = (kind: string | undefined): kind is ValueKind =>
  kind !== undefined && Object.hasOwn(values, kind);

type Arguments = {
  operands: string[];
  /** Names of the options that were given. */
  given: Set<string>;
};

/** Null when an option is not on the list or its value has an unexpected form. */
export function readArguments(args: readonly string[], list: OptionList): Arguments | null {
  const operands: string[] = [];
  const given = new Set<string>();
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") return { operands: [...operands, ...rest], given };
    if (arg === "-" || !arg.startsWith("-")) operands.push(arg);
    else if (list.number && /^-\d{1,9}$/.test(arg)) given.add("-#");
    else if (!(arg.startsWith("--") ? readLong : readShort)(arg, rest, list, given)) return null;
  }
  return { operands, given };
}

function readLong(arg: string, rest: string[], list: OptionList, given: Set<string>): boolean {
  const [, name = "", value] = /^(--[a-zA-Z0-9-]+)(?:=([\s\S]*))?$/.exec(arg) ?? [];
  const option = list.options.get(name);
  if (!option) return false;
  given.add(name);
  if (option.value === null) return value === undefined;
  if (value === undefined && !option.required) return true;
  return fits(value ?? rest.shift(), option.value);
}

/** `-la` is `-l -a`; the first letter that takes a value takes the rest of the word. */
function readShort(arg: string, rest: string[], list: OptionList, given: Set<string>): boolean {
  for (let at = 1; at < arg.length; at += 1) {
    const name = `-${arg[at]}`;
    const option = list.options.get(name);
    if (!option) return false;
    given.add(name);
    if (option.value === null) continue;
    const attached = arg.slice(at + 1);
    if (attached === "" && !option.required) return true;
    return fits(attached === "" ? rest.shift() : attached, option.value);
  }
  return true;
}

const fits = (value: string | undefined, kind: ValueKind): boolean =>
  value !== undefined && values[kind].test(value);
