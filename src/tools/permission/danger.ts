/** What a command could destroy beyond repair. Judged also where the line is not clear. */

import { posix } from "node:path";
import { parseCommandLine, type SimpleCommand, type Word } from "./command-line.ts";

export type Danger = {
  /** "refused": in every mode. "asked": every time, whatever was allowed before. */
  level: "refused" | "asked";
  why: string;
};

const wrappers = new Set(
  "sudo doas env nohup time command builtin exec nice ionice setsid stdbuf xargs busybox timeout chroot unbuffer".split(
    " ",
  ),
);

const shells = /^(?:.*\/)?(?:ba|z|da|k|fi)?sh$/;

const systemFolders =
  /^\/(?:bin|boot|dev|etc|home|lib|lib32|lib64|opt|proc|root|run|sbin|srv|sys|usr|var|Users|System|Library|Applications|Volumes)?\/?(?:\*|\.)?$/;

const wholeFolder = /^(?:~|\$\{?HOME\}?|\/(?:home|Users)\/[^/]+|\/root)\/?\*?$/;

const forkBomb = /(?<![\w:.])([\w:.]{1,40})\s{0,9}\(\s{0,9}\)\s{0,9}\{[^}]{0,200}?\1\s*\|\s*\1\s*&/;

export function dangerOf(line: string): Danger | null {
  if (forkBomb.test(line))
    return refused("it multiplies itself until the machine stops (fork bomb)");
  const { commands } = parseCommandLine(withoutDocuments(line));
  const found = commands.flatMap((command) => dangersOf(command, 0));
  if (emptiesSystemFolder(commands)) found.push(refused("it empties a folder of the system"));
  return found.find((danger) => danger.level === "refused") ?? found[0] ?? null;
}

/** What a here-document holds is text, unless a shell or another interpreter reads it. */
function withoutDocuments(line: string): string {
  if (line.split("<<").length > 20) return line;
  const document = /^([^\n]*?)<<-?[ \t]*(['"]?)(\w+)\2([^\n]*)\n[\s\S]*?^[ \t]*\3$/gm;
  return line.replace(document, (whole, before: string, _quote, _word, after: string) =>
    /\b(?:\w*sh|ssh|python\d?|perl|ruby|node|bun|eval|source|xargs)\b/.test(before + after)
      ? whole
      : `${before} ${after}`,
  );
}

/** `cd / && rm -rf *` */
function emptiesSystemFolder(commands: readonly SimpleCommand[]): boolean {
  const moved = commands.findIndex(
    ({ words }) => words[0]?.text === "cd" && isSystem(words[1]?.text ?? "~"),
  );
  return commands
    .slice(moved === -1 ? commands.length : moved + 1)
    .some(
      ({ words }) =>
        words.some(({ text }) => text === "rm") &&
        words.some(({ text }) => /^-\w*[rR]|^--recursive$/.test(text)) &&
        words.some(({ text }) => /^(?:\.\/?)?\*?$/.test(text)),
    );
}

const asOther = "it runs as another user (sudo)";

const refused = (why: string): Danger => ({ level: "refused", why });
const asked = (why: string): Danger => ({ level: "asked", why });

function dangersOf(command: SimpleCommand, depth: number): Danger[] {
  const dangers: Danger[] = [];
  for (const target of command.writes) {
    if (isDisk(target)) dangers.push(refused(`it writes straight to the disk ${target}`));
  }
  let words = command.words;
  for (;;) {
    const first = words[0];
    if (first === undefined || depth > 5) return dangers;
    const name = first.text.replace(/^.*\//, "");
    if (name === "sudo" || name === "doas") dangers.push(asked(asOther));
    if (/^\w+=/.test(first.text) || ["then", "do", "else", "if", "while", "!"].includes(name)) {
      words = words.slice(1);
    } else if (wrappers.has(name)) {
      // Which of its words is the command depends on its options: each is judged as if it were.
      const rest = words.slice(1);
      const starts = rest.slice(0, 50).flatMap((word, at) => (wrappers.has(word.text) ? [] : [at]));
      if (rest.some(({ text }) => text === "sudo" || text === "doas")) dangers.push(asked(asOther));
      const inner = starts.map((at) => ({ words: rest.slice(at), writes: [] }));
      return [...dangers, ...inner.flatMap((one) => dangersOf(one, depth + 1))];
    } else if (shells.test(first.text) || name === "eval") {
      const script = name === "eval" ? textOf(words.slice(1)) : scriptOf(words);
      if (script === null) return dangers;
      const bomb = forkBomb.test(script) ? [refused("it multiplies itself (fork bomb)")] : [];
      const inner = parseCommandLine(script).commands.flatMap((one) => dangersOf(one, depth + 1));
      return [...dangers, ...bomb, ...inner];
    } else {
      return [...dangers, ...judge(name, words.slice(1))];
    }
  }
}

const textOf = (words: readonly Word[]): string => words.map((word) => word.text).join(" ");

function scriptOf(words: readonly Word[]): string | null {
  const at = words.findIndex(({ text }) => /^-\w*c\w*$/.test(text));
  return at === -1 ? null : (words[at + 1]?.text ?? null);
}

const isDisk = (path: string): boolean =>
  /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper\/|dm-|loop|md|mem|kmem|port)/.test(path);

function judge(name: string, args: Word[]): Danger[] {
  const texts = args.map((word) => word.text);
  const flags = texts.filter((text) => text.startsWith("-"));
  const paths = texts.filter((text) => !text.startsWith("-"));
  const has = (short: string, ...long: string[]) =>
    flags.some((flag) => long.includes(flag) || (/^-\w+$/.test(flag) && flag.includes(short)));
  switch (name) {
    case "rm":
      return judgeRemoval(paths, has("r", "--recursive") || has("R"));
    case "chmod":
    case "chown":
    case "chgrp":
      return has("R", "--recursive") && paths.some(isSystem)
        ? [refused(`it changes the rights of the whole system (${name} -R)`)]
        : [];
    case "mv":
      return paths.slice(0, -1).some(isSystem)
        ? [refused("it moves a folder of the system away")]
        : [];
    case "find":
      return texts.includes("-delete") || texts.some((text) => /^-(?:exec|ok)(?:dir)?$/.test(text))
        ? judgeFind(texts, paths)
        : [];
    case "dd":
      return texts.some((text) => text.startsWith("of=") && isDisk(text.slice(3)))
        ? [refused("it writes straight to a disk (dd)")]
        : [];
    case "tee":
    case "cp":
    case "shred":
    case "wipefs":
      return paths.some(isDisk) ? [refused(`it writes straight to a disk (${name})`)] : [];
    case "shutdown":
    case "reboot":
    case "halt":
    case "poweroff":
      return [refused(`it stops the machine (${name})`)];
    case "init":
    case "telinit":
      return /^[06]$/.test(paths[0] ?? "") ? [refused("it stops the machine")] : [];
    case "systemctl":
      return /^(?:poweroff|reboot|halt|kexec|suspend|hibernate)$/.test(paths[0] ?? "")
        ? [refused("it stops the machine (systemctl)")]
        : [asked("it controls services of the system")];
    case "kill":
    case "pkill":
    case "killall":
      return texts.includes("-1") && paths.length === 0
        ? [refused("it ends every process")]
        : [asked("it ends processes, possibly others than its own")];
    case "git":
      return judgeGit(texts, has);
    case "truncate":
    case "crontab":
    case "iptables":
    case "fdisk":
    case "parted":
      return [asked(`${name} changes what is hard to bring back`)];
    default:
      return /^mkfs(?:\.|$)|^mkswap$/.test(name) ? [refused("it formats a disk")] : [];
  }
}

function isSystem(path: string): boolean {
  const plain = path.startsWith("/") ? posix.normalize(path) : path;
  return systemFolders.test(plain) || wholeFolder.test(plain);
}

function judgeRemoval(paths: string[], recursive: boolean): Danger[] {
  if (recursive && paths.some(isSystem)) {
    return [refused("it removes the whole system or home folder")];
  }
  return recursive ? [asked("it removes folders with all that is in them")] : [];
}

function judgeFind(texts: string[], paths: string[]): Danger[] {
  const removes = texts.includes("-delete") || texts.includes("rm");
  if (!removes) return [];
  return isSystem(paths[0] ?? "")
    ? [refused("it removes files all over the system")]
    : [asked("it removes every file that it finds")];
}

function judgeGit(texts: string[], has: (short: string, ...long: string[]) => boolean): Danger[] {
  const verb = texts.find((text) => !text.startsWith("-")) ?? "";
  const forced = has("f", "--force", "--force-with-lease", "--mirror", "--delete");
  const plus = texts.some((text) => /^\+\S/.test(text) || text.startsWith("--force-with-lease="));
  const lost = "it throws work away that git cannot bring back";
  switch (verb) {
    case "push":
      return forced || plus || texts.some((text) => /^:\S/.test(text))
        ? [asked("it overwrites or deletes what others have (git push --force)")]
        : [];
    case "reset":
      return texts.includes("--hard") ? [asked(lost)] : [];
    case "clean":
      return forced ? [asked(lost)] : [];
    case "checkout":
    case "restore":
      return forced || texts.includes(".") ? [asked(lost)] : [];
    case "branch":
      return has("D") ? [asked(lost)] : [];
    case "stash":
      return texts.includes("clear") || texts.includes("drop") ? [asked(lost)] : [];
    case "filter-branch":
    case "filter-repo":
      return [asked("it rewrites the history of the repository")];
    default:
      return [];
  }
}
