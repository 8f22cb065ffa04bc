import { dangerOf } from "./danger/danger.ts";
import type { Danger } from "./danger/level.ts";
import { removedInWords } from "./danger/removed.ts";
import { expandPatterns } from "./read-only/expand.ts";
import { readOnlyStep, type ReadOnlyStep } from "./read-only/read-only.ts";
import type { ReadScope } from "./read-only/operands.ts";
import type { Execution } from "../tool.ts";
import { readClearLine, renderLine, type Step } from "./line/command-line.ts";
import { everyCommand, type FoundCommand } from "./line/every-command.ts";
import { programName } from "./line/unwrap.ts";
import { grantOf, type Grant } from "./rules/grant.ts";
import type { SessionRule } from "./rules/rules.ts";
import { readTool } from "./tool-names.ts";
import {
  beyondInWords,
  warningOfWritable,
  whyNeverWritable,
  type CommandAccess,
} from "./beyond.ts";
import { together } from "./hosts.ts";
import { denied, planRefusal, refuse, type Situation, type Verdict } from "./verdict.ts";
import { needsInWords, needsOf, type Needs } from "./needs.ts";

/** Characters that move the cursor or turn text around: they would hide what is run. */
const hiding =
  // eslint-disable-next-line no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

/** Every command of the line must be read-only or allowed; a line that is not clear is asked about. */
export async function judgeCommand(access: CommandAccess, now: Situation): Promise<Verdict> {
  const { command } = access;
  const hidden = hiding.exec(command)?.[0];
  if (hidden !== undefined) {
    const code = hidden.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    return refuse(`The command contains the control character U+${code}; leave it out.`);
  }
  const { home } = now.folders;
  const danger = dangerOf(command, now.cwd, { home, workspace: now.workspace.root });
  if (danger?.level === "refused") return refuse(`This command is never run: it ${danger.why}.`);
  const { commands, isWhole } = everyCommand(command);
  const forbidden = now.rules.forbids(now.tool, [command, ...commands.flatMap(textsOf)]);
  if (forbidden === "deny") return denied;
  if (!isWhole && now.rules.restricts(now.tool)) return refuse(unreadable);
  if (now.mode === "bypass") return { verdict: "allow", execution: unconfined(command) };
  const judged = access.outside ? null : await judgeLine(command, now);
  if (judged?.readOnly && danger === null && forbidden === null) {
    return { verdict: "allow", execution: judged.readOnlyExecution };
  }
  if (now.mode === "plan") return refuse(planRefusal);
  const { hosts = [], writable = [], background = false } = access;
  if (hosts.some((host) => now.rules.forConnection(host) === "deny")) return denied;
  const never = writable.map((path) => whyNeverWritable(path, now)).find((why) => why !== null);
  if (never) return refuse(never);
  const needs = withAsked(needsOf(command), access, now);
  const execution = writableExecution(needs, command);
  const asked = beyondInWords(access, now);
  const beyond = background ? ["in the background", asked].filter(Boolean).join(", ") : asked;
  if (danger === null && forbidden === null && !access.outside) {
    const isAllowed = asked === null && now.rules.allowsLine(now.tool, command);
    if (isAllowed || now.rules.grantsLine(command, beyond)) return { verdict: "allow", execution };
    const isGranted = ({ key }: Grant) => beyond === null && now.rules.grants(key);
    if (asked === null && judged?.grants?.every(isGranted)) {
      return {
        verdict: "allow",
        execution: { ...execution, source: judged.readOnlyExecution.source },
      };
    }
  }
  const words = (await now.sandbox())
    ? needsInWords(needs, (path) => now.workspace.show(path))
    : null;
  const risk = danger ? await warningOf(danger, now) : warningOfWritable(writable, now.folders);
  return {
    verdict: "ask",
    warning: risk,
    rule: risk || forbidden || access.outside ? null : ruleFor(command, judged, beyond),
    execution,
    ...(words === null ? {} : { access: words }),
  };
}

async function warningOf({ why, removes = [] }: Danger, { workspace }: Situation): Promise<string> {
  if (removes.length === 0) return `This command ${why}.`;
  return `This command ${why}: ${await removedInWords(removes, (path) => workspace.show(path))}.`;
}

/** The needs of a command, plus what the model asked for. */
function withAsked(needs: Needs, access: CommandAccess, { usesProxy }: Situation): Needs {
  const { hosts = [], writable = [], outside = false } = access;
  const network = together(needs.network, hosts.length > 0 ? hosts : "off");
  return {
    ...needs,
    outside: needs.outside || outside,
    // Behind a proxy of the machine, hosts cannot be told apart.
    network: usesProxy && network !== "off" ? "any" : network,
    writable,
  };
}

const writableExecution = (needs: Needs, source: string): Execution => ({
  source,
  as: "workspace-write",
  sandbox: needs.outside ? "never" : "preferred",
  network: needs.network,
  writable: needs.writable,
  git: needs.git,
});

const unconfined = (source: string): Execution =>
  writableExecution({ network: "any", outside: true, git: "any file", writable: [] }, source);

const ruleFor = (command: string, judged: Judged | null, beyond: string | null): SessionRule =>
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

/** What deny and ask rules are compared with: the command as written, and with its program's bare name. */
function textsOf({ argv }: FoundCommand): string[] {
  const [first = "", ...rest] = argv;
  const bare = programName(first);
  return [argv.join(" "), ...(bare === first ? [] : [[bare, ...rest].join(" ")])];
}

type Judged = {
  /** Every command is read-only. */
  readOnly: boolean;
  /** How it is run if it is read-only. */
  readOnlyExecution: Execution;
  /** What could be granted with other arguments; null: only the exact line can be allowed. */
  grants: Grant[] | null;
};

/**
 * Null for a line that is not clear. What is safe only in the sandbox, such as a file pattern, may also
 * be safe by the files that it stands for: beside git, or without a sandbox.
 */
async function judgeLine(command: string, now: Situation): Promise<Judged | null> {
  const steps = readClearLine(command) ?? [];
  if (steps.length === 0) return null;
  const scope = {
    workspace: now.workspace,
    folders: now.folders,
    isForbidden: now.rules.refusedPaths(readTool) ?? (() => false),
  };
  const judged = await judgeSteps(steps, now, scope);
  if (judged.readOnly || !steps.some(hasPattern) || steps.some(isCd)) return judged;
  const expanded = await expandPatterns(steps, now.cwd, scope);
  const byFiles = expanded && (await judgeSteps(expanded, now, scope));
  // Anything else may change which files there are, so its patterns stay.
  return byFiles?.readOnly ? byFiles : judged;
}

const hasPattern = ({ words }: Step): boolean => words.some(({ kind }) => kind === "pattern");
const isCd = ({ words }: Step): boolean => words[0]?.text === "cd";

async function judgeSteps(
  steps: readonly Step[],
  now: Situation,
  scope: ReadScope,
): Promise<Judged> {
  /** Of each step; null: it is not known to be read-only. */
  const found: (ReadOnlyStep | null)[] = [];
  let cwds: readonly string[] | null = [now.cwd];
  for (const step of steps) {
    const one: ReadOnlyStep | null = cwds && (await readOnlyStep(step, cwds, scope));
    found.push(one);
    if (one) ({ cwds } = one);
    // Where the rest would run is not known.
    else if (isCd(step)) cwds = null;
  }
  const sandboxOnly = found.some((one) => one?.sandboxOnly);
  const onHost = found.some((one) => one?.onHost);
  const git = steps.some((step) => step.words[0]?.text === "git");
  // Beside git, the others would see its configuration, which may hold a token.
  const canBeConfined = !onHost && !git;
  const readOnly =
    found.every((one) => one !== null) &&
    (!sandboxOnly || (canBeConfined && (await now.sandbox())));
  const doubtful = steps.filter((_, at) => !found[at] || sandboxOnly);
  const grants = doubtful.filter((step) => !isAllowed(step, now)).map(grantFor);
  const source = renderLine(
    steps.map((step, at) => ({ ...step, words: found[at]?.words ?? step.words })),
  );
  const readOnlyExecution: Execution = {
    source,
    as: "read-only",
    sandbox: onHost ? "never" : sandboxOnly ? "required" : "preferred",
    network: "off",
    writable: [],
    git: git ? "own data" : null,
  };
  const canBeGranted = grants.every((grant) => grant !== null);
  return { readOnly, readOnlyExecution, grants: canBeGranted ? grants : null };
}

const textOf = (step: Step): string => step.words.map((word) => word.text).join(" ");

/** Whether a rule of the settings allows it. Files that it reads as its input are not covered. */
const isAllowed = (step: Step, now: Situation): boolean =>
  step.reads.length === 0 && now.rules.allowsCommand(now.tool, textOf(step));

const grantFor = (step: Step): Grant | null =>
  step.reads.length === 0 && step.words.every((word) => word.kind === "literal")
    ? grantOf(step.words.map((word) => word.text))
    : null;
