/** The command inside a command: after wrappers such as `env`, and in scripts that are passed along. */

import { programName } from "./words.ts";

type Inner = { commands?: readonly string[][]; scripts?: readonly string[] };

/** Programs that run the rest of their words, and which of their options have a word of their own. */
const wrappers: Readonly<Record<string, string>> = {
  sudo: "-u -g -h -p -C -R -T -D -r -t",
  doas: "-u -C",
  env: "-u -C -S",
  nohup: "",
  time: "-f -o",
  command: "",
  builtin: "",
  exec: "-a",
  nice: "-n",
  ionice: "-c -n -p",
  setsid: "",
  stdbuf: "-i -o -e",
  xargs: "-a -d -E -I -i -L -l -n -P -s --delimiter --replace --max-args --max-procs",
  timeout: "-k -s --kill-after --signal",
};

/** The commands that a command runs in turn. `inputs`: texts that the command reads. */
export function unwrap(argv: readonly string[], inputs: readonly string[]): Inner {
  const [first = "", ...rest] = argv;
  const name = programName(first);
  if (name === "find" || name === "fd") return { commands: executed(rest) };
  if (!Object.hasOwn(wrappers, name)) return { scripts: listScripts(name, rest, inputs) };
  const fed = name === "xargs" ? inputs.flatMap((text) => text.split(/\s+/).filter(Boolean)) : [];
  const at = findCommand(name, rest);
  return {
    commands: at === -1 ? [] : [[...rest.slice(at), ...fed]],
    scripts: rest.filter((_, place) =>
      /^(?:-S|--split-string|-c|--command)$/.test(rest[place - 1] ?? ""),
    ),
  };
}

function findCommand(name: string, words: readonly string[]): number {
  const takesWord = (wrappers[name] ?? "").split(" ");
  return words.findIndex((word, at) => {
    const isOption = word.startsWith("-") || /^\w+=/.test(word);
    const isDuration = name === "timeout" && /^[\d.]+[smhd]?$/.test(word);
    return !isOption && !isDuration && !(at > 0 && takesWord.includes(words[at - 1] ?? ""));
  });
}

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
  if (/^(?:ba|z|da|k|mk|fi|a)?sh$/.test(name)) {
    const at = args.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word));
    return at === -1 ? inputs : [args[at + 1] ?? ""];
  }
  switch (name) {
    case "eval":
      return [args.join(" ")];
    case ".":
    case "source":
      return inputs;
    default:
      return [];
  }
}
