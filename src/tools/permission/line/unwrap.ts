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
const interpreters =
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
    return [{ argv }, ...inner, ...split.map((script) => ({ argv: [], script }))];
  }
  if (shells.test(name)) {
    const at = rest.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word));
    const scripts = at === -1 ? inputs : [rest[at + 1] ?? ""];
    return [{ argv }, ...scripts.map((script) => ({ argv: [], script }))];
  }
  if (name === "eval") return [{ argv }, { argv: [], script: rest.join(" ") }];
  if (name === "trap") return [{ argv }, { argv: [], script: rest[0] ?? "" }];
  if (name === "." || name === "source" || name === "at" || name === "batch") {
    return [{ argv }, ...inputs.map((script) => ({ argv: [], script }))];
  }
  if (name === "ssh") return [{ argv }, { argv: [], script: rest.slice(1).join(" ") }];
  if (editors.test(name)) {
    const scripts = rest.flatMap((word) => /^[:+]?!(.*)$/s.exec(word)?.[1] ?? []);
    return [{ argv }, ...scripts.map((script) => ({ argv: [], script }))];
  }
  if (interpreters.test(name)) return [{ argv }, ...stringsIn([...rest, ...inputs])];
  const execute = rest.findIndex((word) => /^(?:-exec|-execdir|-ok|-okdir)$/.test(word));
  if (name === "find" && execute !== -1) {
    return [{ argv }, ...unwrap(rest.slice(execute + 1), inputs, depth + 1)];
  }
  const aliased = rest.find((word) => /^alias\.\w+=!/.test(word));
  if (name === "git" && aliased)
    return [{ argv }, { argv: [], script: aliased.replace(/^.*?=!/, "") }];
  const action = rest.find((word) =>
    /^--(?:checkpoint-action=exec|to-command|use-compress-program)=/.test(word),
  );
  if (name === "tar" && action)
    return [{ argv }, { argv: [], script: action.replace(/^[^=]*=(?:exec=)?/, "") }];
  return [{ argv }];
}

/** Texts in quotes in a program of another language: it may pass them to a shell. */
function stringsIn(code: readonly string[]): Inner[] {
  const strings = code.flatMap((text) => [
    ...text.slice(0, 5_000).matchAll(/(["'`])((?:(?!\1)[^\\]|\\.)+)\1/gs),
  ]);
  return strings.slice(0, maxWords).map((match) => ({ argv: [], script: match[2] ?? "" }));
}
