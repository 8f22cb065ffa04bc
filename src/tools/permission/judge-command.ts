import { dangerOf } from "./danger/danger.ts";
import { freeStep, type Free } from "./free/free.ts";
import type { Execution } from "../tool.ts";
import { readClearLine, renderLine, type Step } from "./line/command-line.ts";
import { everyCommand } from "./line/every-command.ts";
import { grantOf, type Grant } from "./rules/grant.ts";
import type { SessionRule } from "./rules/rules.ts";
import { readTool } from "./tool-names.ts";
import {
  allow,
  ask,
  denied,
  planRefusal,
  refuse,
  type Situation,
  type Verdict,
} from "./verdict.ts";

/** Characters that move the cursor or turn text around: they would hide what is run. */
const hiding =
  // eslint-disable-next-line no-control-regex
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

/** Every command of the line must be free or allowed; a line that is not clear is asked about. */
export async function judgeCommand(command: string, now: Situation): Promise<Verdict> {
  const hidden = hiding.exec(command)?.[0];
  if (hidden !== undefined) {
    const code = hidden.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    return refuse(`The command holds the control character U+${code}; write it without.`);
  }
  const { home } = now.folders;
  const danger = dangerOf(command, now.cwd, { home, workspace: now.workspace.root });
  if (danger?.level === "refused") return refuse(`This command is never run: it ${danger.why}.`);
  const forbidden = now.rules.forbids(now.tool, [command, ...textsOf(command)]);
  if (forbidden === "deny") return denied;
  if (now.mode === "bypass") return allow;
  const judged = await judgeSteps(readClearLine(command) ?? [], now);
  if (judged?.free && danger === null && forbidden === null) {
    return { verdict: "allow", execution: judged.execution };
  }
  if (now.mode === "plan") return refuse(planRefusal);
  if (danger) return ask(`This command ${danger.why}.`, null);
  if (forbidden === "ask") return ask(null, null);
  if (now.rules.allowsLine(now.tool, command)) return work(command);
  if (!judged || judged.asked.length > 0) return ask(null, { kind: "line", line: command });
  const granted = judged.grants.every(({ key }) => now.rules.grants(key));
  if (granted) return { verdict: "allow", execution: judged.execution };
  return ask(null, grants(judged.grants));
}

const work = (source: string): Verdict => ({
  verdict: "allow",
  execution: { source, as: "work", confined: true },
});

const grants = (list: readonly Grant[]): SessionRule => ({
  kind: "grants",
  keys: list.map(({ key }) => key),
  words: [...new Set(list.map(({ words }) => words))],
});

/** What a rule that forbids is compared with: each command, also by the bare name of its program. */
function textsOf(command: string): string[] {
  return everyCommand(command).commands.flatMap(({ argv }) => {
    const [first = "", ...rest] = argv;
    const bare = first.replace(/^.*\//, "");
    return [argv.join(" "), ...(bare === first ? [] : [[bare, ...rest].join(" ")])];
  });
}

type Judged = {
  /** Every command only looks. */
  free: boolean;
  execution: Execution;
  /** Commands that could be granted with other arguments. */
  grants: Grant[];
  /** Commands that only the exact line can allow. */
  asked: Step[];
};

/** Null for a line that is not clear. */
async function judgeSteps(steps: readonly Step[], now: Situation): Promise<Judged | null> {
  if (steps.length === 0) return null;
  const found: { step: Step; free: Free | null }[] = [];
  let cwds: readonly string[] | null = [now.cwd];
  const ground = {
    workspace: now.workspace,
    folders: now.folders,
    isForbidden: (path: string) =>
      /^(?:deny|ask)$/.test(now.rules.forPath("read", readTool, path) ?? ""),
  };
  for (const step of steps) {
    const free: Free | null = cwds && (await freeStep(step, cwds, ground));
    found.push({ step, free });
    if (free) ({ cwds } = free);
    // Where the rest would run is not known.
    else if (step.words[0]?.text === "cd") cwds = null;
  }
  const sandboxOnly = found.some(({ free }) => free?.sandboxOnly);
  const onHost = found.some(({ free }) => free?.onHost);
  const free =
    found.every((one) => one.free !== null) && (!sandboxOnly || (!onHost && (await now.sandbox())));
  const doubtful = found.flatMap((one) => (one.free && !sandboxOnly ? [] : [one.step]));
  const asked = doubtful.filter((step) => !isAllowed(step, now) && !grantFor(step));
  const needed = doubtful
    .filter((step) => !isAllowed(step, now))
    .flatMap((step) => grantFor(step) ?? []);
  const source = renderLine(
    found.map(({ step, free: one }) => ({ ...step, words: one?.words ?? step.words })),
  );
  const execution: Execution = { source, as: free ? "look" : "work", confined: !onHost };
  return { free, execution, grants: needed, asked };
}

const textOf = (step: Step): string => step.words.map((word) => word.text).join(" ");

/** By a rule of the settings. What it reads as its input is not covered by it. */
const isAllowed = (step: Step, now: Situation): boolean =>
  step.reads.length === 0 && now.rules.allowsCommand(now.tool, textOf(step));

const grantFor = (step: Step): Grant | null =>
  step.reads.length === 0 && step.words.every((word) => word.kind === "literal")
    ? grantOf(step.words.map((word) => word.text))
    : null;
