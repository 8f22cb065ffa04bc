/**
 * The command inside a command: after wrappers such as `sudo`, and in scripts that are passed
 * along.
 */

type Inner = { argv: readonly string[]; script?: string };

const wrappers = new Set(
  (
    "sudo doas env nohup time command builtin exec nice ionice setsid stdbuf xargs busybox toybox timeout chroot " +
    "unbuffer chronic parallel watch strace ltrace gdb unshare nsenter fakeroot systemd-run runuser pkexec " +
    "flatpak-spawn script su then do else elif if while until ! { ("
  ).split(" "),
);

const shells = /^(?:ba|z|da|k|mk|fi|a|c|tc|r?ba)?sh$/;
export const interpreters =
  /^(?:python[\d.]*|perl|ruby|node|nodejs|bun|deno|php|lua|awk|gawk|mawk|nawk|tclsh|expect|osascript)$/;
const editors = /^(?:n?vim?|ed|ex|emacs)$/;

const maxWords = 50;
const maxValues = 2;

export const programName = (word: string): string => word.replace(/^.*\//, "");

/** The command itself first, without wrappers; then what it runs. `inputs`: its standard input. */
export function unwrap(argv: readonly string[], inputs: readonly string[], depth = 0): Inner[] {
  const start = argv.findIndex((word) => !/^\w+=/.test(word));
  if (start === -1 || depth > 5) return [];
  if (start > 0) return unwrap(argv.slice(start), inputs, depth);
  const [first = "", ...rest] = argv;
  const name = programName(first);
  if (wrappers.has(name)) {
    // Which of its words is the command depends on its options: each is treated as one.
    const fed = /^(?:xargs|parallel)$/.test(name)
      ? inputs.flatMap((text) => text.split(/\s+/))
      : [];
    const inner = rest.slice(0, maxWords).flatMap((word, at) => {
      // Only likely commands are read to their end: those after few option values, as in `-k 5 10`.
      const values = rest.slice(0, at).filter((before) => !before.startsWith("-"));
      const isLikely = values.length <= maxValues;
      const tail = [...rest.slice(at, isLikely ? undefined : at + maxWords), ...fed];
      return wrappers.has(programName(word)) ? [{ argv: tail }] : unwrap(tail, inputs, depth + 1);
    });
    const split = rest.flatMap((word, at) =>
      /^(?:-S|--split-string|-c|--command)$/.test(word)
        ? [rest[at + 1] ?? ""]
        : /^-S./.test(word)
          ? [word.slice(2)]
          : [],
    );
    return [{ argv }, ...inner, ...split.map(asScript)];
  }
  if (name === "find")
    return [{ argv }, ...executed(rest).flatMap((inner) => unwrap(inner, inputs, depth + 1))];
  return [{ argv }, ...listScripts(name, rest, inputs).map(asScript)];
}

/** The commands that `find` runs. The end of one may belong to a `find` in it. */
function executed(args: readonly string[]): string[][] {
  const commands: string[][] = [];
  let isOpen = false;
  for (const word of args) {
    if (!isOpen && /^-(?:exec|ok)(?:dir)?$/.test(word)) {
      commands.push([]);
      isOpen = true;
    } else commands.at(-1)?.push(word);
    if (word === ";" || word === "+") isOpen = false;
  }
  return commands;
}

const asScript = (script: string): Inner => ({ argv: [], script });

/** The scripts that a command is given to run. */
function listScripts(
  name: string,
  args: readonly string[],
  inputs: readonly string[],
): readonly string[] {
  if (shells.test(name)) {
    const at = args.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word));
    return at === -1 ? inputs : [args[at + 1] ?? ""];
  }
  const inArgs = (form: RegExp) => args.flatMap((word) => form.exec(word)?.[1] ?? []);
  if (editors.test(name)) return inArgs(/^[:+]?!(.*)$/s);
  if (interpreters.test(name)) return quotedStrings([...args, ...inputs]);
  switch (name) {
    case "eval":
      return [args.join(" ")];
    case "trap":
      return [args[0] ?? ""];
    case ".":
    case "source":
    case "at":
    case "batch":
      return inputs;
    case "ssh":
      return [args.slice(1).join(" ")];
    case "git":
      return inArgs(/^alias\.\w+=!(.*)$/s);
    case "tar":
      return inArgs(
        /^--(?:checkpoint-action=(?=exec=)|to-command=|use-compress-program=)(?:exec=)?(.*)$/s,
      );
    default:
      return [];
  }
}

/** Texts in quotes in a program of another language: it may pass them to a shell. */
function quotedStrings(code: readonly string[]): string[] {
  const strings = code.flatMap((text) => [
    ...text.slice(0, 5_000).matchAll(/(["'`])((?:(?!\1)[^\\]|\\.)+)\1/gs),
  ]);
  return strings.slice(0, maxWords).map((match) => match[2] ?? "");
}
