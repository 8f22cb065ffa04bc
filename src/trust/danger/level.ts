/** Why a command is too dangerous to run without a question. */

export type Danger = {
  /** "refused": in every mode. "asked": every time, whatever was allowed before. */
  level: "refused" | "asked";
  /** Continues "This command": "deletes folders recursively". */
  why: string;
  /** Not even the kept state of the workspace undoes it. */
  isFinal?: true;
  /** The paths that it removes with all below them. */
  removes?: readonly string[];
};

export const refused = (why: string): Danger => ({ level: "refused", why });
export const asked = (why: string): Danger => ({ level: "asked", why });

/** Whether one of the options was given, alone or among other letters (`-rf`). */
export function hasOption(args: readonly string[], letters: string, ...names: string[]): boolean {
  return args.some(
    (arg) =>
      names.some((name) => arg === name || arg.startsWith(`${name}=`)) ||
      (/^-[a-zA-Z]+$/.test(arg) && [...letters].some((letter) => arg.includes(letter))),
  );
}

export function listOperands(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.filter((arg, at) => !arg.startsWith("-") || (end !== -1 && at > end));
}
