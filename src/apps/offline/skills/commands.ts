import { commandFor, lockFiles, manifests, taskIn, type Task } from "../project-commands.ts";
import { pathsIn } from "../results.ts";
import { reportOn } from "../report.ts";
import { call, type Move, type Skill } from "../skill.ts";
import { bare, withoutQuotes } from "../text.ts";
import { argument, type Turn } from "../turn.ts";

/** Never run, whatever was asked: nobody who asks a planner for this means it. */
const destructive = [
  /(?:^|[\s;&|(`"'$])(?:rm|rmdir|shred|truncate|mkfs\S*|dd|shutdown|reboot|halt|poweroff|kill|pkill|killall|sudo|doas|chown)\s+(?!--?(?:help|version)\b)/,
  /(?:^|[\s;&|(`"'$])(?:chmod\s+-\w*R|mv\s)/,
  /\bgit\s+(?:\S+\s+)*?(?:push|clean|rebase|filter-branch|reset\s+--hard|checkout\s+(?:--|\.)|restore|stash\s+(?:drop|clear)|branch\s+-D|commit\s+--amend)(?:\s|$)/,
  /\b(?:npm|yarn|pnpm|bun|cargo|gem|twine)\s+(?:publish|unpublish|yank|upload|deprecate)\b/,
  /\bfind\b.*\s-(?:delete|exec|execdir|ok)\b/,
  /\b(?:curl|wget)\b.*\|\s*\S*sh\b/,
  /:\(\)\s*\{/,
  /\bdrop\s+(?:table|database)\b/i,
];

/** Empties the file it names; in quotes it is only a character. */
const overwrites = /(?:^|[^>&\d=-])>\|?\s*(?!\/dev\/null|[>&=])\S/;

const isDestructive = (command: string): boolean =>
  destructive.some((form) => form.test(command)) || overwrites.test(withoutQuotes(command));

/** First words of a line that can be nothing but a command. */
const programs =
  /^(?:ls|cat|git|npm|npx|pnpm|yarn|bun|bunx|deno|node|python3?|pytest|cargo|rustc|go|make|just|echo|printf|pwd|wc|head|tail|env|date|grep|rg|find|tree|du|df|uname|which|file|stat|sort|diff|whoami|ruby|rake|mvn|gradle|\.{1,2}\/\S+)(?:\s|$)/;

/** "Run the tests", "run `CMD`", "git status": finds the command, runs it, tells how it ended. */
export const commands: Skill = (turn) => {
  const wanted = commandIn(turn.question);
  if (!wanted) return null;
  if ("command" in wanted) return runAndReport(turn, wanted.command);
  const list = turn.steps.find(({ tool }) => tool === "glob");
  if (!list)
    return {
      say: `Looking for the command of this project: ${wanted.task}.`,
      calls: [call("glob", { pattern: `{${[...manifests, ...lockFiles].join(",")}}` })],
    };
  const files = pathsIn(list.text).filter((path) => !path.includes("/"));
  const toRead = manifests.filter((name) => files.includes(name)).slice(0, 4);
  const reads = turn.steps.filter(({ tool }) => tool === "read_file");
  if (reads.length === 0 && toRead.length > 0)
    return { calls: toRead.map((path) => call("read_file", { path, limit: 200 })) };
  // What ran already is told of, also when the results that led to it are gone.
  const ran = turn.steps.find(({ tool }) => tool === "bash");
  if (ran) return { say: reportOn(argument(ran, "command"), ran) };
  const found = commandFor(wanted.task, reads, files);
  if (!found) return { say: nothingFound(wanted.task, toRead) };
  return runAndReport(turn, found.command, found.from);
};

const nothingFound = (task: Task, read: readonly string[]): string =>
  `I find no command for “${task}” ${
    read.length === 0
      ? "here: there is no manifest that I know"
      : `in ${read.map((path) => `\`${path}\``).join(", ")}`
  }. Tell me which: “run \`CMD\`”.`;

const git: readonly (readonly [RegExp, string])[] = [
  [/^(?:show (?:me )?)?(?:the )?(?:git )?status$/i, "git status"],
  [
    /^(?:show (?:me )?)?what(?: has|'s| have)?(?: (?:i|we|you))?(?: been)? changed?(?: here| so far)?$|^(?:show (?:me )?)?(?:the |my )?(?:uncommitted |local )?changes$/i,
    "git status --short && git diff --stat",
  ],
  [/^(?:show (?:me )?)?(?:the )?(?:git )?diff$/i, "git diff"],
  [
    /^(?:show (?:me )?)?(?:the )?(?:git )?(?:log|history|(?:last|latest|recent) commits)$/i,
    "git log --oneline -20",
  ],
  [
    /^(?:which|what) branch(?: (?:am i on|is this))?$|^(?:show (?:me )?)?(?:the )?(?:current )?(?:git )?branch(?:es)?$/i,
    "git branch",
  ],
];

function commandIn(question: string): { command: string } | { task: Task } | null {
  const quoted = /^(?:please\s+)?(?:can you\s+)?(?:run|execute)\b[^`]*`([^`]+)`\W*$/is.exec(
    question.trim(),
  )?.[1];
  if (quoted) return { command: quoted.trim() };
  const text = bare(question);
  const shortcut = git.find(([words]) => words.test(text));
  if (shortcut) return { command: shortcut[1] };
  if (/^git (?:status|log|diff|show|branch|blame|shortlog|tag|remote|describe)\b/.test(text))
    return { command: text };
  const asked =
    /^(?:do (?:all )?(?:the )?tests (?:pass|run|work)|are (?:the )?tests (?:green|passing)|does it (?:build|compile))/i;
  if (asked.test(text)) return { task: /build|compile/i.test(text) ? "build" : "test" };
  const wish = /^(?:run|execute|do|start)\s+(?:the\s+|all\s+)*(\S[\s\S]*)$/i
    .exec(text)?.[1]
    ?.trim();
  const verb =
    /^(build|lint|test|type-?check|format|compile)(?: (?:it|this|the (?:project|code|app)))?$/i.exec(
      text,
    );
  if (!wish) return verb?.[1] ? taskOrNull(verb[1]) : null;
  if (programs.test(wish) && !wish.includes("\n")) return { command: wish };
  return taskOrNull(wish);
}

const taskOrNull = (wish: string): { task: Task } | null => {
  const task = taskIn(wish);
  return task && { task };
};

function runAndReport(turn: Turn, command: string, from?: string): Move {
  if (isDestructive(command))
    return {
      say: `I do not run \`${command}\`: it may destroy, overwrite or publish things. Run it yourself if you mean it.`,
    };
  const done = turn.steps.find(
    (step) => step.tool === "bash" && argument(step, "command") === command,
  );
  if (done) return { say: reportOn(command, done) };
  return {
    say: from ? `Running \`${command}\` (from \`${from}\`).` : `Running \`${command}\`.`,
    calls: [call("bash", { command })],
  };
}
