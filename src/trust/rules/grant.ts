/** Commands that may be granted with other arguments, because none of theirs can do more. */

import { optionList, readArguments, type OptionList } from "../read-only/options.ts";

type Grantable = {
  list: OptionList;
  /** Operands may differ: they are paths or texts that only say what it is about. */
  anyOperands?: boolean;
  /** One of these options has to be given. */
  requires?: readonly string[];
  /** Describes the part that may differ. */
  differs: string;
};

const grantable = (
  options: string,
  differs: string,
  more: Pick<Grantable, "anyOperands" | "requires"> = {},
): Grantable => ({ list: optionList(options), differs, ...more });

const cargo =
  "-q -v --quiet --verbose --release --workspace --all --all-targets --all-features --no-default-features --lib --bins --tests --locked --offline --frozen";

const grantables: Record<string, Grantable> = {
  "git add": grantable("-A -u -v -n --all --update --verbose --dry-run", "with any paths", {
    anyOperands: true,
  }),
  "git commit": grantable(
    "-m=text -a -q -v -s --message=text --all --quiet --verbose --signoff",
    "with any message",
    { requires: ["-m", "--message"] },
  ),
  "cargo check": grantable(cargo, "with other flags"),
  "cargo build": grantable(cargo, "with other flags"),
  "cargo test": grantable(cargo, "with other flags and filters", { anyOperands: true }),
  "cargo fmt": grantable("--all --check -q", "with other flags"),
  "go build": grantable("-v -race -x", "with other flags"),
  "go vet": grantable("-v", "with other flags"),
  tsc: grantable("--noEmit --pretty", "with other flags"),
};
const table: ReadonlyMap<string, Grantable> = new Map(Object.entries(grantables));

/** Relative, without `..`, and never an option. */
const plainOperand = /^(?!.*(?:^|\/)\.\.(?:\/|$))[\w.@][\w./@:+-]*$/;

export type Grant = { key: string; words: string };

/** Null: only the exact line can be granted. */
export function findGrant(words: readonly string[]): Grant | null {
  const program = words[0] ?? "";
  const subcommand = `${program} ${words[1] ?? ""}`;
  const name = table.has(subcommand) ? subcommand : program;
  const rule = table.get(name);
  if (!rule) return null;
  const read = readArguments(words.slice(name === subcommand ? 2 : 1), rule.list);
  if (!read?.operands.every((operand) => plainOperand.test(operand))) return null;
  if (rule.requires && !rule.requires.some((option) => read.given.has(option))) return null;
  if (rule.anyOperands) return { key: name, words: `"${name}" ${rule.differs}` };
  const full = [name, ...read.operands].join(" ");
  return { key: JSON.stringify([name, ...read.operands]), words: `"${full}" ${rule.differs}` };
}
