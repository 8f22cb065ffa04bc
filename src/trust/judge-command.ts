import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { findDanger } from "./danger/danger.ts";
import type { Danger } from "./danger/level.ts";
import { removedInWords } from "./danger/removed.ts";
import { readOnlyStep, type ReadOnlyStep } from "./read-only/reading.ts";
import type { ReadScope } from "./read-only/operands.ts";
import type { Execution } from "../tools/tool.ts";
import { readClearLine, renderLine, type Step } from "./line/command-line.ts";
import { everyCommand, type FoundCommand } from "./line/every-command.ts";
import { programName } from "./line/unwrap.ts";
import { findGrant, type Grant } from "./rules/grant.ts";
import type { SessionRule } from "./rules/rules.ts";
import { readTool } from "./tool-names.ts";
import { denied, planRefusal, refuse, type Situation, type Verdict } from "./verdict.ts";
import { isMuteGit, isReadingVerb } from "./git-verbs.ts";
import { isSecret } from "./sensitive.ts";
import { looks } from "./read-only/looks.ts";
import {
  beyondInWords,
  beyondRule,
  findNeeds,
  isMet,
  nameProgram,
  needsInWords,
  nothingUnmet,
  unmetNeeds,
  warningOfWritable,
  whyNeverWritable,
  withAsked,
  type CommandAccess,
  type Unmet,
} from "./needs.ts";

/** Characters that move the cursor or turn text around: they would hide what is run. */
const hiding =
  // eslint-disable-next-line no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

/** Every command of the line must be read-only or allowed; a line that is not clear is asked about. */
export async function judgeCommand(given: CommandAccess, now: Situation): Promise<Verdict> {
  const asked = given.writable ?? [];
  // The workspace itself is writable for whatever is approved.
  const roots = [now.workspace.root, ...now.workspace.added];
  const access = { ...given, writable: asked.filter((path) => !roots.includes(path)) };
  const { command } = access;
  const { rules, tool } = now;
  const hidden = hiding.exec(command)?.[0];
  if (hidden !== undefined) {
    const code = hidden.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    return refuse(`The command contains the control character U+${code}; leave it out.`);
  }
  const { home } = now.folders;
  const found = everyCommand(command, now.cwd);
  const { commands, isWhole } = found;
  const danger = findDanger(command, now.cwd, { home, workspace: now.workspace.root }, found);
  if (danger?.level === "refused") return refuse(`This command is never run: it ${danger.why}.`);
  let forbidden = rules.forbids(tool, [command, ...commands.flatMap(commandTexts)]);
  if (forbidden === "deny") return denied(now);
  if (!isWhole && rules.restricts(tool)) return refuse(unreadable);
  if (commands.some((found) => isRaised(found) && !isNamed(found, now))) return refuse(raised);
  if (now.mode === "bypass")
    return {
      verdict: "allow",
      execution: executionOf(command, { confined: false, write: true, network: "any" }),
    };
  const judged = access.outside ? null : await judgeLine(command, now);
  if (judged?.readOnly && danger === null && forbidden === null) {
    return { verdict: "allow", execution: judged.readOnlyExecution };
  }
  const { hosts = [], writable = [] } = access;
  const asksNothing = !access.outside && !access.background && hosts.length + asked.length === 0;
  const isOpen = asksNothing && danger === null && forbidden === null;
  const restricts = rules.refusedPaths(readTool) !== null;
  // Git would show others of its files to the rest of the line.
  const isSeen = isOpen && !(restricts && commands.some(isGit));
  const kind = isSeen ? await looks(command, found, now) : null;
  // It only looks, as far as its words show: the sandbox sees to it.
  if (kind === "looks")
    return {
      verdict: "allow",
      execution: executionOf(command),
    };
  // As if it were approved, but nothing in the workspace is written and secrets are hidden.
  const checked = {
    verdict: "allow",
    execution: executionOf(command),
  } as const;
  if (kind === "checks" && now.mode === "plan") return checked;
  if (now.mode === "plan") return refuse(planRefusal);
  const mayPrint =
    mayPrintRefused(commands, now) || (restricts && commands.some(isGit) && !isGitAlone(judged));
  if (mayPrint && !rules.allowsLine(tool, command)) forbidden ??= "ask";
  if (hosts.some((host) => rules.forConnection(host) === "deny")) return denied(now);
  const never = writable.map((path) => whyNeverWritable(path, now)).find((why) => why !== null);
  if (never) return refuse(never);
  const needs = await withAsked(findNeeds(command, found), access, now);
  const hasSandbox = await now.sandbox();
  const unasked = executionOf(command, {
    confined: hasSandbox && !needs.outside,
    write: true,
    network: needs.network,
    // What git alone does may change files that other programs run.
    writable:
      needs.git === "any file" && !addsAddress.test(command)
        ? [...needs.writable, ...roots]
        : needs.writable,
  });
  const named = namedSecret(commands, now);
  const execution = {
    ...unasked,
    writable: [
      ...needs.writable,
      ...(named !== null && existsSync(named) ? [named] : []),
      ...(needs.git === "any file" ? roots : []),
    ],
  };
  const left = hasSandbox ? unmetNeeds(needs, judged?.doubtful ?? null, now) : nothingUnmet;
  if (danger === null && forbidden === null && !access.outside) {
    const allowed = await allowedExecution(access, now, { judged, execution, left });
    if (allowed) return { verdict: "allow", execution: allowed };
  }
  const lasting = access.background && !needs.outside ? namesOf(judged) : [];
  const isUnasked =
    (now.mode === "auto" || (now.mode === "accept-edits" && onlyMovesFiles(judged))) &&
    lasting?.every((name) => rules.grants("background", (rule) => rule.programs.includes(name))) ===
      true;
  const secret =
    isUnasked && named !== null
      ? `It names ${now.workspace.show(named)}, which may hold secrets.`
      : null;
  if (
    isUnasked &&
    hasSandbox &&
    forbidden === null &&
    secret === null &&
    !access.outside &&
    isMet(left) &&
    (danger === null || (!danger.isFinal && !needs.outside && !(await removesUnkept(danger, now))))
  )
    return {
      verdict: "allow",
      execution: unasked,
    };
  if (kind === "checks" && forbidden === null) return checked;
  const words = hasSandbox ? needsInWords(needs, (path) => now.workspace.show(path)) : null;
  const isLasting = now.mode === "auto" && hasSandbox && lasting?.length !== 0 && isMet(left);
  const risk = danger
    ? await findWarning(danger, now)
    : (secret ?? warningOfWritable(writable, now.folders));
  const rule =
    now.mode !== "auto"
      ? null
      : isLasting && lasting
        ? ({ kind: "background", programs: lasting } as const)
        : beyondRule(left, judged?.doubtful ?? null);
  return {
    verdict: "ask",
    warning: risk,
    rule:
      risk || forbidden || access.outside
        ? null
        : (rule ?? ruleFor(command, judged, inWords(access, now))),
    execution,
    ...(isLasting ? { access: [words, lasts].filter(Boolean).join(" ") } : {}),
    ...(words === null || isLasting ? {} : { access: words }),
  };
}

/** A later push would send the repository there, or run the hooks of a folder. */
const addsAddress = /\bgit\b.*\b(?:remote +(?:add|set-url)|config)\b/;

const lasts =
  "It keeps running and writes beside you, so its changes cannot be looked at before they are made.";

/** Of the programs that do more than read; null where they cannot be told by a name. */
function namesOf(judged: JudgedLine | null): string[] | null {
  const texts = judged?.doubtful.filter((text) => !text.startsWith("cd ")) ?? [];
  const names = texts.map((text) => nameProgram(text.split(" ")));
  return names.length > 0 && names.every((name) => name !== null) ? [...new Set(names)] : null;
}

/** Edits by other means, as mode accept-edits allows them. */
const onlyMovesFiles = (judged: JudgedLine | null): boolean =>
  judged !== null && judged.doubtful.every((text) => /^(?:mkdir|touch|mv|cp)\s/.test(text));

/** Beside git, the line only reads. */
const isGitAlone = (judged: JudgedLine | null): boolean =>
  judged?.doubtful.every((text) => text.startsWith("git ")) ?? false;

const raised =
  "This command runs as another user (sudo), which needs a rule of the settings that names it, such as " +
  "Bash(sudo apt-get install:*). Tell the user what to run instead.";

const isRaised = ({ argv: [first = ""] }: FoundCommand): boolean =>
  /^(?:sudo|doas|su|pkexec|runuser)$/.test(programName(first));

const isNamed = (command: FoundCommand, { rules, tool }: Situation): boolean =>
  commandTexts(command).some((text) => rules.namesCommand(tool, text, ["allow", "ask"]));

/** How a line runs that rules or earlier answers allow; null: they do not. */
async function allowedExecution(
  access: CommandAccess,
  now: Situation,
  { judged, execution, left }: { judged: JudgedLine | null; execution: Execution; left: Unmet },
): Promise<Execution | null> {
  const { rules, tool } = now;
  const { command } = access;
  const asked = beyondInWords(access, now);
  const beyond = inWords(access, now);
  if (rules.grants("line", (rule) => rule.line === command && rule.beyond === beyond))
    return execution;
  if (asked !== null) return null;
  if (rules.allowsLine(tool, command)) return execution;
  if (!isMet(left)) return null;
  if (rules.allowsAll(tool)) return execution;
  const isGranted = ({ key }: Grant) =>
    access.background !== true && rules.grants("grants", (rule) => rule.keys.includes(key));
  if (!judged?.grants?.every(isGranted)) return null;
  return { ...execution, source: judged.readOnlyExecution.source };
}

/** All that the model asked for beyond what the line itself needs. */
function inWords(access: CommandAccess, now: Situation): string | null {
  const asked = beyondInWords(access, now);
  return access.background ? ["in the background", asked].filter(Boolean).join(", ") : asked;
}

/** It would be gone for good. A pattern stands for all that is in its folder. */
async function removesUnkept({ removes = [] }: Danger, { isUnkept, cwd }: Situation) {
  for (const path of removes) {
    const fixed = resolve(cwd, path.replace(/(?:^|\/)[^/]*[*?[{$`~].*$/, ""));
    if (await isUnkept?.(fixed)) return true;
  }
  return false;
}

async function findWarning(
  { why, removes = [] }: Danger,
  { workspace }: Situation,
): Promise<string> {
  if (removes.length === 0) return `This command ${why}.`;
  return `This command ${why}: ${await removedInWords(removes, (path) => workspace.show(path))}.`;
}

/** Confined, read-only and without the network, unless `more` says otherwise. */
const executionOf = (source: string, more: Partial<Execution> = {}): Execution => ({
  source,
  confined: true,
  write: false,
  network: "off",
  writable: [],
  ...more,
});

const ruleFor = (command: string, judged: JudgedLine | null, beyond: string | null): SessionRule =>
  beyond === null && judged?.grants
    ? {
        kind: "grants",
        keys: judged.grants.map(({ key }) => key),
        words: [...new Set(judged.grants.map(({ words }) => words))],
      }
    : { kind: "line", line: command, beyond };

const unreadable =
  "This command is too long or nested too deeply to be checked against the rules of the settings. " +
  "Split it into several calls.";

/** Texts that deny and ask rules match: the command as written, and with its program's bare name. */
function commandTexts({ argv }: FoundCommand): string[] {
  const [first = "", ...rest] = argv;
  const bare = programName(first);
  return [argv.join(" "), ...(bare === first ? [] : [[bare, ...rest].join(" ")])];
}

type JudgedLine = {
  /** The commands that are not known to be read-only. */
  doubtful: readonly string[];
  /** Every command is read-only. */
  readOnly: boolean;
  /** How it is run if it is read-only. */
  readOnlyExecution: Execution;
  /** Grants that also cover other arguments; null: only the exact line can be allowed. */
  grants: Grant[] | null;
};

/** Null for a line that is not clear. */
async function judgeLine(command: string, now: Situation): Promise<JudgedLine | null> {
  const steps = readClearLine(command) ?? [];
  if (steps.length === 0) return null;
  const scope = {
    workspace: now.workspace,
    folders: now.folders,
    isForbidden: now.rules.refusedPaths(readTool) ?? (() => false),
    forbidden: now.rules.refusedPatterns(readTool),
  };
  return judgeSteps(steps, now, scope);
}

const isCd = ({ words }: Step): boolean => words[0]?.text === "cd";

async function judgeSteps(
  steps: readonly Step[],
  now: Situation,
  scope: ReadScope,
): Promise<JudgedLine> {
  /** Of each step; null: it is not known to be read-only. */
  const found: (ReadOnlyStep | null)[] = [];
  let cwds: readonly string[] | null = [now.cwd];
  for (const step of steps) {
    const readOnly: ReadOnlyStep | null = cwds && (await readOnlyStep(step, cwds, scope));
    found.push(readOnly);
    if (readOnly) ({ cwds } = readOnly);
    // Where the rest would run is not known.
    else if (isCd(step)) cwds = null;
  }
  const onHost = found.some((readOnly) => readOnly?.onHost);
  const doubtful = steps.filter((_, at) => !found[at]);
  const isReading = (step: Step): boolean => found[steps.indexOf(step)] !== null;
  const grants = doubtful.filter((step) => !isAllowed(step, isReading(step), now)).map(grantFor);
  const source = renderLine(
    steps.map((step, at) => ({ ...step, words: found[at]?.words ?? step.words })),
  );
  const readOnlyExecution = executionOf(source, { confined: !onHost && (await now.sandbox()) });
  const canBeGranted = grants.every((grant) => grant !== null);
  return {
    readOnly: doubtful.length === 0,
    readOnlyExecution,
    grants: canBeGranted ? grants : null,
    doubtful: doubtful.map(stepText),
  };
}

const stepText = (step: Step): string => step.words.map((word) => word.text).join(" ");

/** Whether a rule of the settings allows it. Files that it reads as its input are not covered. */
function isAllowed(step: Step, isReading: boolean, { rules, tool }: Situation): boolean {
  const text = stepText(step);
  if (step.reads.length > 0 || !rules.allowsCommand(tool, text)) return false;
  // Whoever allows "git diff" with anything behind it means what prints, not `--output=FILE`.
  return isReading || !isReader(text) || rules.allowsLine(tool, text) || rules.allowsAll(tool);
}

/** Programs that are known to read, but for some of their options. */
const isReader = (text: string): boolean =>
  reader.test(text) || (text.startsWith("git ") && isReadingVerb(text.split(" ").slice(1)));

const reader =
  /^(?:git (?:remote (?:-v|get-url)|config (?:--get|get|--list|list|-l))|cat|head|tail|wc|ls|tree|grep|egrep|fgrep|rg|find|sort|uniq|cut|diff|file|stat|du|sed -n|jq|date|od|xxd|hexdump|nl|comm|cmp|tac|rev|column|fold|paste|expand|cksum|(?:md5|sha\d+)sum|realpath|readlink|basename|dirname|df|which|less|more|man|hostname|ps|fd|ag|yq)(?: |$)/;

const grantFor = (step: Step): Grant | null =>
  step.reads.length === 0 && step.words.every((word) => word.kind === "literal")
    ? findGrant(step.words.map((word) => word.text))
    : null;

/** A file with secrets that the line names. */
const namedSecret = (
  commands: readonly FoundCommand[],
  { folders, cwd }: Situation,
): string | null =>
  commands
    .flatMap((command) => possiblePaths(command, cwd))
    .find((path) => isSecret(path, folders)) ?? null;

/** Paths that the words of a command may name, also after an option's letter or name, or a commit. */
const possiblePaths = ({ argv, inputs, cwd }: FoundCommand, start: string): string[] =>
  [...argv.slice(1), ...inputs]
    .flatMap((word) => [word, word.replace(/^-\w/, ""), ...word.split(/[=:,@\s"'`()]/)])
    .filter((word) => word !== "")
    .map((word) => resolve(start, cwd, word));

/** Rules that restrict reading are about what other programs print, too, and above all about git. */
function mayPrintRefused(commands: readonly FoundCommand[], now: Situation): boolean {
  const isRefused = now.rules.refusedPaths(readTool);
  return (
    isRefused !== null &&
    commands.some(
      (command) =>
        possiblePaths(command, now.cwd).some(isRefused) ||
        (isGit(command) && !isMuteGit(command.argv.slice(1))),
    )
  );
}

const isGit = ({ argv }: FoundCommand): boolean => programName(argv[0] ?? "") === "git";
