/**
 * Judges a command line: deny rules, then the never-run list; then it runs if it is confined and the mode allows
 * that, and asks otherwise.
 */

import { listed } from "../base/format.ts";
import type { Execution } from "../tools/tool.ts";
import {
  describeAccess,
  findBeyond,
  needsNoExtras,
  ruleBeyond,
  unmet,
  warningOfPaths,
  whyTooWide,
  type Beyond,
  type CommandAccess,
} from "./beyond.ts";
import { readLine, type Line, type SimpleCommand } from "./line/line.ts";
import { possiblePaths } from "./line/paths.ts";
import { withoutRunner } from "./line/unwrap.ts";
import { programName, readGit } from "./line/words.ts";
import { findLoss } from "./losses.ts";
import { whyNever } from "./never.ts";
import { hasCodeOption, nameProgram } from "./programs.ts";
import { exceedsReading, readingKind, reads } from "./reading.ts";
import { isSafe, readsBare } from "./reading-bare.ts";
import type { SessionRule } from "./rules/rules.ts";
import { readTool } from "./rules/rule.ts";
import { denied, planRefusal, refuse, type Situation, type Verdict } from "./verdict.ts";

/** Cursor and bidirectional control characters, which would disguise the command. */
const hiding =
  // eslint-disable-next-line no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

export async function judgeCommand(access: CommandAccess, now: Situation): Promise<Verdict> {
  const { command } = access;
  const { rules, tool, mode, workspace } = now;
  const hidden = hiding.exec(command)?.[0];
  if (hidden !== undefined) {
    const code = hidden.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    return refuse(`The command contains the control character U+${code}; leave it out.`);
  }
  const line = readLine(command, now.cwd);
  const forbidden = rules.forbids(tool, [command, ...line.commands.flatMap(commandTexts)]);
  if (forbidden === "deny") return denied(now);
  if (!line.isWhole && rules.restricts(tool)) return refuse(unreadable);
  const never = whyNever(line, { home: now.folders.home, workspace: workspace.root });
  if (never !== null) return refuse(`This command is never run: it ${never}.`);
  if (line.commands.some((one) => isRaised(one) && !isNamed(one, now))) return refuse(raised);
  if (mode === "bypass") return { verdict: "allow", execution: unconfined(command) };
  if ((access.hosts ?? []).some((host) => rules.forConnection(host) === "deny")) return denied(now);
  const wide = (access.writable ?? []).map((path) =>
    isRoot(path, now) ? null : whyTooWide(path, now),
  );
  const tooWide = wide.find((why) => why !== null);
  if (tooWide) return refuse(tooWide);

  const hasSandbox = await now.sandbox();
  const commands = line.commands;
  const beyond = await findBeyond(line, access, now);
  // In mode auto, and where a rule allows them, tests may write.
  const isCovered = (one: SimpleCommand): boolean => isAllowed(one, hasSandbox, now);
  const isReader = (one: SimpleCommand): boolean =>
    prints(one) || (mode !== "auto" && reads(one) && !isCovered(one));
  const isKnown = (one: SimpleCommand): boolean =>
    beyond.readers.includes(one) || (hasSandbox ? isReader(one) : isSafe(one, now));
  const doubtful = commands.filter((one) => !isKnown(one));
  // No program of the workspace may leave the sandbox together with a command that needs to.
  const isAlone = line.isPlain && commands.every((one) => isNeedy(one, beyond) || printsAlone(one));
  const asksToWrite = (access.writable ?? []).length > 0;
  const isReading =
    doubtful.length === 0 && !asksToWrite && !beyond.namesHidden && mayRead(line, access);
  const writes = !isReading || beyond.fetches;
  const left = unmet(beyond, { isAlone, writes }, now);
  const execution: Execution = {
    source: command,
    confined: hasSandbox && !beyond.leaves,
    write: writes,
    network: networkOf(beyond, now),
    writable: [
      ...beyond.paths.filter((path) => isRoot(path, now) || whyTooWide(path, now) === null),
      ...beyond.freePaths,
    ],
  };
  const mayAsk =
    mayPrintRefused(line, now) && !rules.allowsCommand(tool, command, "exact") ? "ask" : forbidden;
  const isFree = mayAsk === null && needsNoExtras(left);
  if (
    hasSandbox
      ? isFree && isReading
      : mayAsk === null &&
        !asksAnything(access) &&
        !beyond.fetches &&
        (await readsBare(line, beyond.readers, now))
  )
    return { verdict: "allow", execution: hasSandbox ? execution : { ...execution, write: false } };
  if (mode === "plan") return refuse(planRefusal);

  const loss = await findLoss(line, beyond.programs, now);
  const answered = rules.grants(
    "line",
    (rule) => rule.line === command && rule.beyond === asked(access, left, now),
  );
  const isExact = !asksAnything(access) && rules.allowsCommand(tool, command, "exact");
  if (mayAsk === null && !access.outside && (answered || isExact))
    return { verdict: "allow", execution };
  const runs =
    mayAsk === null &&
    loss === null &&
    line.isWhole &&
    !access.outside &&
    (hasSandbox ? needsNoExtras(left) : true) &&
    ((mode === "auto" && hasSandbox) ||
      (mode === "accept-edits" &&
        hasSandbox &&
        line.isPlain &&
        commands.every((one) => movesFiles(one) || prints(one))) ||
      rules.allowsCommand(tool, "", "all") ||
      (line.isPlain &&
        commands.some(isCovered) &&
        commands.every(
          (one) => isCovered(one) || (hasSandbox ? printsAlone(one) : isSafe(one, now)),
        )));
  if (runs) return { verdict: "allow", execution };

  const warning = loss ?? (line.isWhole ? warningOfPaths(left.paths, writes, now) : tooLong);
  const given = { ...beyond, anyHost: execution.network === "any" };
  const words = hasSandbox ? describeAccess(given, writes, (path) => workspace.show(path)) : null;
  const isFinal = warning !== null || mayAsk !== null || access.outside === true;
  const narrow = ruleBeyond(left, isAlone, writes);
  const rule =
    mode === "auto" && narrow !== null
      ? narrow
      : hasSandbox
        ? ruleOfCommands(doubtful, left, narrow, line)
        : null;
  return {
    verdict: "ask",
    warning,
    rule: isFinal
      ? null
      : (rule ?? { kind: "line", line: command, beyond: asked(access, left, now) }),
    execution,
    ...(words === null ? {} : { access: words }),
  };
}

const unconfined = (source: string): Execution => ({
  source,
  confined: false,
  write: true,
  network: "any",
  writable: [],
});

const isRoot = (path: string, { workspace }: Situation): boolean =>
  [workspace.root, ...workspace.added].includes(path);

/** Runs in the foreground and was parsed completely. */
const mayRead = ({ commands, isWhole, inBackground }: Line, access: CommandAccess): boolean =>
  commands.length > 0 && isWhole && !inBackground && access.background !== true;

/** Whether this command makes the line leave the sandbox. */
const isNeedy = ({ argv }: SimpleCommand, { programs }: Beyond): boolean =>
  programs.some(({ text }) => text === argv.join(" "));

/** Behind a system proxy, hosts cannot be told apart. */
function networkOf(
  { hosts, free, anyHost, leaves }: Beyond,
  { usesProxy }: Situation,
): Execution["network"] {
  const all = [...new Set([...hosts, ...free])];
  if (leaves || anyHost || (usesProxy && all.length > 0)) return "any";
  return all.length === 0 ? "off" : all;
}

const asksAnything = ({ outside, background, hosts = [], writable = [] }: CommandAccess): boolean =>
  outside === true || background === true || hosts.length + writable.length > 0;

/** Access requested by the model but not evident from the line, as text. */
function asked(access: CommandAccess, left: Beyond, { workspace }: Situation): string | null {
  const hosts = (access.hosts ?? []).filter((host) => left.hosts.includes(host));
  const paths = (access.writable ?? []).filter((path) => left.paths.includes(path));
  const words = [
    ...(access.background ? ["in the background"] : []),
    ...(hosts.length > 0 ? [`reaching ${listed(hosts)}`] : []),
    ...(paths.length > 0
      ? [`writing to ${listed(paths.map((path) => workspace.show(path)))}`]
      : []),
  ];
  return words.length === 0 ? null : words.join(", ");
}

const prints = (command: SimpleCommand): boolean => readingKind(command) === "prints";

/** Not piped into another command. */
const printsAlone = (command: SimpleCommand): boolean =>
  prints(command) && !/^(?:env|xargs|find|fd)$/.test(programName(command.argv[0] ?? ""));

/** Commands equivalent to file edits. */
const movesFiles = ({ argv }: SimpleCommand): boolean =>
  /^(?:mkdir|touch|mv|cp)$/.test(argv[0] ?? "");

/** Whether a settings rule allows the command, or an earlier answer allows its program while confined. */
function isAllowed(
  command: SimpleCommand,
  hasSandbox: boolean,
  { rules, tool }: Situation,
): boolean {
  const text = command.argv.join(" ");
  const name = nameOf(command);
  if (hasSandbox && name !== null && rules.grants("programs", (rule) => rule.names.includes(name)))
    return true;
  if (command.inputs.length > 0 || !rules.allowsCommand(tool, text)) return false;
  return (
    rules.allowsCommand(tool, text, "exact") ||
    rules.allowsCommand(tool, "", "all") ||
    !exceedsReading(command)
  );
}

/** Programs that execute or delete their arguments: only the exact line can be allowed. */
const broad =
  /^(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|node|deno|perl|ruby|php|lua|eval|source|xargs|env|find|fd|exec|command|nohup|time|timeout|rm|shred|dd|sed|awk|git|npx|bunx|uvx|npm exec|npm x|bun x)$/;

function nameOf(command: SimpleCommand): string | null {
  const name = nameProgram(command.argv);
  return name === null ||
    broad.test(name) ||
    hasCodeOption(command.argv) ||
    command.writes.length > 0
    ? null
    : name;
}

/** Session rules that cover all of these programs; null: a program has no rule name. */
function ruleOfCommands(
  doubtful: readonly SimpleCommand[],
  left: Beyond,
  narrow: SessionRule | null,
  line: Line,
): SessionRule | null {
  if (left.paths.length > 0 || left.anyHost || !line.isPlain) return null;
  const names = doubtful.map(nameOf);
  if (names.length === 0 || names.some((name) => name === null)) return null;
  if (left.leaves) return narrow;
  return {
    kind: "programs",
    names: [...new Set(names.filter((name) => name !== null))],
    outside: false,
    hosts: left.hosts,
  };
}

const raised =
  "This command runs as another user (sudo), which needs a rule of the settings that names it, such as " +
  "Bash(sudo apt-get install:*). Tell the user what to run instead.";

const isRaised = ({ argv: [first = ""] }: SimpleCommand): boolean =>
  /^(?:sudo|doas|su|pkexec|runuser)$/.test(programName(first));

const isNamed = (command: SimpleCommand, { rules, tool }: Situation): boolean =>
  commandTexts(command).some((text) => rules.allowsCommand(tool, text, "named", ["allow", "ask"]));

const tooLong = "It is too long or nested too deeply to be checked.";

const unreadable =
  "This command is too long or nested too deeply to be checked against the rules of the settings. " +
  "Split it into several calls.";

/** Texts that deny and ask rules match: as written, with the bare program, without git's own options or a runner. */
function commandTexts({ argv }: SimpleCommand): string[] {
  const [first = "", ...rest] = argv;
  const bare = programName(first);
  const { verb, args } = readGit(rest);
  const words = bare === "git" ? [verb, ...args] : rest;
  const texts = [argv, [bare, ...rest], [bare, ...words]].map((text) => text.join(" "));
  return [...new Set([...texts, ...texts.map(withoutRunner)])];
}

/** Read rules also apply to the output of other programs, especially git. */
function mayPrintRefused(line: Line, now: Situation): boolean {
  const isRefused = now.rules.refusedPaths(readTool);
  if (isRefused === null) return false;
  const { commands } = line;
  if (commands.some((command) => possiblePaths(command, now).some(isRefused))) return true;
  // The sandbox hides git objects from lines that do not name git.
  if (!/(?<!\.)\bgit\b/.test(line.text)) return false;
  const isMute = (command: SimpleCommand): boolean => {
    const isGit = programName(command.argv[0] ?? "") === "git";
    const { verb, args, isPlain } = readGit(command.argv.slice(1));
    return isGit ? isPlain && muteGit.test([verb, ...args].join("\0")) : prints(command);
  };
  return !line.isPlain || !commands.every(isMute);
}

/** Git commands that neither show nor copy file contents: subcommand, words, a message, and the listed options only. */
const muteGit = new RegExp(
  `^(?:${[
    "status|add|push|pull|fetch|switch|branch|merge|rev-parse|ls-files|merge-base|remote|commit|log|checkout|tag",
    "stash(?:\0(?:push|pop|list))?|diff(?=.*\0--(?:stat|name-|shortstat|numstat))",
  ].join(
    "|",
  )})(?:\0(?:-[abA]|-a?m\0[^\0]*|--(?:stat|name-only|name-status|shortstat|numstat|oneline|short)|(?!-)[^:\0]*))*$`,
);
