/** Whether one of the options was given, alone or among other letters (`-rf`). */
export function hasOption(args: readonly string[], letters: string, ...names: string[]): boolean {
  return args.some(
    (arg) =>
      names.some((name) => arg === name || arg.startsWith(`${name}=`)) ||
      (/^-[a-zA-Z]+$/.test(arg) && [...letters].some((letter) => arg.includes(letter))),
  );
}

export const listOperands = (args: readonly string[]): string[] =>
  args.filter((arg, at) => !arg.startsWith("-") || args.slice(0, at).includes("--"));
