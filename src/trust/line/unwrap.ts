/** The command inside a command: after wrappers such as `env`, and in scripts that are passed along. */

import { programName, readGit } from "./words.ts";

type Inner = { commands?: readonly string[][]; scripts?: readonly string[] };

/** Programs that run the rest of their words: which options take a word, and how many words precede the command. */
const wrappers: Readonly<Record<string, readonly [options: string, before?: number]>> = {
  sudo: ["-u -g -h -p -C -R -T -D -r -t"],
  doas: ["-u -C"],
  env: ["-u -C -S"],
  nohup: [""],
  time: ["-f -o"],
  command: [""],
  builtin: [""],
  exec: ["-a"],
  nice: ["-n"],
  ionice: ["-c -n -p"],
  setsid: [""],
  stdbuf: ["-i -o -e"],
  xargs: ["-a -d -E -I -i -L -l -n -P -s --delimiter --replace --max-args --max-procs"],
  timeout: ["-k -s --kill-after --signal", 1],
  flock: ["-c -E -w --command --conflict-exit-code --timeout --wait", 1],
  parallel: ["-a -C -d -I -j -L -n -N -P -S --arg-file --colsep --delay --jobs --joblog --timeout"],
  busybox: [""],
  watch: ["-n -q --interval"],
  strace: ["-a -b -e -E -I -o -O -p -P -s -S -u -U -X"],
  chroot: ["", 1],
  taskset: ["", 1],
  unshare: [""],
  "xvfb-run": ["-e -f -n -p -s -w"],
};

/** The commands that a command runs in turn. `inputs`: texts that the command reads. */
export function unwrap(argv: readonly string[], inputs: readonly string[]): Inner {
  const [first = "", ...rest] = argv;
  const name = programName(first);
  if (name === "find" || name === "fd") return { commands: executed(rest) };
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (!wrapper) return { scripts: listScripts(name, rest, inputs) };
  const fed = name === "xargs" ? inputs.flatMap((text) => text.split(/\s+/).filter(Boolean)) : [];
  const at = findCommand(wrapper, rest);
  const scripts = rest.filter(
    (word, place) =>
      /^(?:-S|--split-string|-c|--command)$/.test(rest[place - 1] ?? "") ||
      (place === at && word.includes(" ")),
  );
  return { commands: at === -1 ? [] : [[...rest.slice(at), ...fed]], scripts };
}

function findCommand(
  [options, before = 0]: readonly [options: string, before?: number],
  words: readonly string[],
): number {
  const takesWord = options.split(" ");
  const operands = words.flatMap((word, at) => {
    const isOption = word.startsWith("-") || /^\w+=/.test(word);
    return isOption || (at > 0 && takesWord.includes(words[at - 1] ?? "")) ? [] : at;
  });
  return operands[before] ?? -1;
}

/** Runs a program of a project's packages. */
const runner =
  /^(?:npx|bunx|pnpx|uvx|(?:npm|pnpm|yarn|bun|bundle) (?:exec|x)|(?:bun|poetry|uv|pdm|hatch|pipenv) run)(?: (?:-p|--(?:with|package|python|extra|group|project|directory|env-file)) \S+| -\S*)* /;

/** For deny and ask rules, which hold for what a runner of packages starts; a rule that allows the runner covers it. */
export const withoutRunner = (text: string): string => text.replace(runner, "");

/** The commands that `find` runs. */
function executed(args: readonly string[]): string[][] {
  const commands: string[][] = [];
  let isOpen = false;
  for (const word of args) {
    if (!isOpen && /^(?:-(?:exec|ok)(?:dir)?|-x|-X)$/.test(word)) {
      commands.push([]);
      isOpen = true;
    } else if (isOpen && (word === ";" || word === "+")) isOpen = false;
    else if (isOpen) commands.at(-1)?.push(word);
  }
  return commands;
}

/** The scripts that a command is given to run. */
function listScripts(
  name: string,
  args: readonly string[],
  inputs: readonly string[],
): readonly string[] {
  if (/^(?:(?:ba|z|da|k|mk|fi|a)?sh|script)$/.test(name)) {
    const at = args.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word));
    return at === -1 ? inputs : [args[at + 1] ?? ""];
  }
  switch (name) {
    case "git":
      return listGitScripts(args);
    case "trap":
      return args.filter((word) => !word.startsWith("-")).slice(0, 1);
    case "eval":
      return [args.join(" ")];
    case ".":
    case "source":
      return inputs;
    default:
      return [];
  }
}

/** Of aliases on the line, and of subcommands that run a command for each of many revisions or folders. */
function listGitScripts(words: readonly string[]): readonly string[] {
  const aliases = words.flatMap((word) => /^alias\.[^=]*=!([^]*)$/.exec(word)?.[1] ?? []);
  const { verb, args } = readGit(words);
  const [first = "", ...rest] = args;
  if (/^(?:bisect run|submodule foreach)$/.test(`${verb} ${first}`)) return [rest.join(" ")];
  if (verb !== "rebase") return aliases;
  return [...aliases, ...args.filter((_, at) => /^(?:-x|--exec)$/.test(args[at - 1] ?? ""))];
}
