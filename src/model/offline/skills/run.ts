import type { ToolInput } from "../../../protocol/block.ts";
import type { CallStep } from "../conversation.ts";
import {
  commandFor,
  nameTask,
  openManifests,
  recognizeTask,
  type ProjectCommand,
  type Task,
} from "../manifests.ts";
import { filesCalled, isTest } from "../files.ts";
import { parsePaths } from "../results.ts";
import { make, type PlannedCalls, type AnswerScript, type Skill } from "../script.ts";
import { bare, inCode, fenced, listed, paragraphs } from "../text.ts";
import { authors } from "./project.ts";
import { findFiles, runCommand } from "../tools.ts";
import { clipLine, takeStart } from "../../../base/clip.ts";
import { quoteWhereNeeded } from "../../../base/shell-quote.ts";
import { dirname, join } from "node:path/posix";

const changes =
  /^(?:show (?:me )?)?what(?: has|'s| have| did)?(?: (?:i|we|you))?(?: been)? changed?(?: here| so far)?$|^(?:show (?:me )?)?(?:the |my )?(?:uncommitted |local )?changes$/i;

const lastCommits =
  /^(?:show (?:me )?)?(?:what (?:was )?changed (?:last|recently)|(?:what|when)(?:'s| is| was) the (?:last|latest) (?:commit|change)|the (?:last|latest) (?:(\d+) )?(?:commits?|changes?))$/i;

const quotedCommand = /^(?:please\s+|can you\s+)*(?:run|execute)\b[^`]*`([^`]+)`\W*$/is;

const deletedFile =
  /^(?:delete|remove|rm)\s+(?:the file\s+)?[`"']?((?:[\w@-]+\/)*[\w@-][\w@.-]*\.\w+)[`"']?$/i;
const asksForAuthors =
  /^who (?:wrote|made|created|works on|contributes to) (?:this|it|the .+)$|^who(?:'s| is| are) the (?:authors?|maintainers?)\b/i;

/** Beginnings that can only be a command. */
const bareCommand =
  /^(?:git (?:status|log|diff|show|branch|blame|tag|remote|describe)|(?:npm|pnpm|yarn|bun|cargo) (?:run|test|build|check|clippy|fmt|start|install|i|ci|add|audit)\b|go (?:test|build|vet|run|mod)\b|make (?:test|build|lint)$|pip3? install|pytest|(?:ls|rm) -|pwd$|wc -|seq \d)/;
const question =
  /^(?:how (?:do|can|should|would) (?:i|we|you|one)|how to|how (?:are|is)|what(?:'s| is) the (?:right )?command (?:to|for)|what command)\s+((?:run|start|launch|execute|build|compile|install|set up|lint|format|type-?check|test|(?:the )?(?:\w+ )?tests)\b.*?)(?: run| here| locally| started)?$/i;
const asksForTests =
  /^(?:do (?:all )?(?:the )?tests (?:pass|work)|are (?:all )?(?:the )?tests (?:green|passing))/i;
const asksForBuild =
  /^(?:does|will) (?:it|this|the (?:code|project)) (?:still )?(?:compile|build)$/i;
const bareTask =
  /^(?:build|lint|test|type-?check|format|compile|install|start)(?: (?:it|this|the (?:project|code|app)|(?:all )?(?:the )?dependencies))?$/i;
const articles = /^(?:(?:the|all|my|our|unit|whole|full)\s+)+/i;
/** "The store tests", "just the tests in internal/store", "tests for src/a.ts". */
const someTests =
  /^(?:only |just )?(?:the |my |our )?(?:unit )?(?:(?:tests? (?:in|of|for|from|under) (?:the )?(?:file |folder |module )?)["'`]?([\w@./-]*\w)\/?["'`]?|(?!(?:the|all|my|our|these|those|this|it|unit|full|whole|npm|pnpm|yarn|bun|deno|cargo|go|make|mvn|gradle|rake|dotnet)\b)([\w.-]+) tests?|([\w@./-]*(?:tests?|specs?)[\w./-]*\.\w+))$/i;
const taskName =
  /^(?:(?:the|all|my|our|unit|whole|full)\s+)*[a-z-]+(?:\s+(?:suite|check(?:s|er)?|server))?(?:\s+and (?:tell|show) .*)?$/i;
const notACommand = /^(?:the|a|an|my|this|that|these|it|all|every|each|some|both|them|your)\b/i;

/** "Run seq 1 20000", "run the tests", "how do I run the tests?". */
export const run: Skill = (request) => {
  const quoted = quotedCommand.exec(request.trim())?.[1];
  if (quoted) return runAndReport(quoted.trim());
  const text = bare(request);
  const asked = question.exec(text)?.[1];
  const howTo = asked === undefined ? null : recognizeTask(asked);
  if (howTo) return explainTask(howTo);
  const deleted = deletedFile.exec(text)?.[1];
  if (deleted !== undefined) return deleteFile(deleted);
  if (asksForAuthors.test(text)) return tellAuthors();
  const commits = lastCommits.exec(text);
  if (commits) return runAndReport(`git log -${commits[1] ?? 1} --stat`);
  if (changes.test(text)) return runAndReport("git status --short && git diff --stat");
  if (asksForTests.test(text)) return runTask("test");
  if (asksForBuild.test(text)) return runTask("build");
  if (bareCommand.test(text)) return runAndReport(text);
  if (bareTask.test(text)) return runTask(recognizeTask(text) ?? "start");
  const words = /^(?:run|execute|start|\$)\s+(\S[^\n]*)$/i.exec(text)?.[1];
  if (words === undefined) return null;
  const [, place, named, file] = someTests.exec(words) ?? [];
  const part = place ?? named ?? file;
  if (part !== undefined) return runSomeTests(part);
  const task = taskName.test(words) ? recognizeTask(words.replace(articles, "")) : null;
  if (task) return runTask(task);
  return notACommand.test(words) || /^start/i.test(text) ? null : runAndReport(words);
};

function* tellAuthors(): AnswerScript {
  return (
    listed("The manifest says", yield* authors(), 4) ||
    (yield* runAndReport("git shortlog -sn HEAD"))
  );
}

function* deleteFile(name: string): AnswerScript {
  const found = yield* filesCalled(name);
  if (found.length > 1 && !found.includes(name))
    return listed("Several files have this name", found.map(inCode), 20);
  return yield* runAndReport(`rm ${found.length === 1 ? found[0] : name}`);
}

const writes = { writable: ["."], description: "It failed because it could write nothing here." };

/** A command that the sandbox stopped is sent again with what it lacked, which is asked about. */
function* runAndReport(command: string, options: ToolInput = {}): AnswerScript {
  let access = options;
  let step = yield* make(runCommand(command, access));
  while (step.failed && !step.cleared) {
    const hosts = [...step.text.matchAll(/([\w.-]+) is not allowed\. (?=.*\bwith hosts\.)/g)];
    const wider = {
      ...access,
      ...(step.text.includes('again with writable: ["."]') && writes),
      ...(hosts.length > 0 && { hosts: hosts.map(([, host]) => host) }),
    };
    if (Bun.deepEquals(wider, access)) break;
    access = wider;
    const again = yield* make(runCommand(command, access));
    if (again.failed && !ending.test(again.text)) break;
    step = again;
  }
  return reportOn(command, step);
}

function* runTask(task: Task): AnswerScript {
  const found = yield* findCommand(task);
  return typeof found === "string"
    ? found
    : yield* runAndReport(found.command, { timeout: 600_000 });
}

/** Those in a folder or file, or in the test files of a name. */
function* runSomeTests(part: string): AnswerScript {
  const found = yield* findCommand("test");
  if (typeof found === "string") return found;
  const inside = part.replace(/^\.?\//, "");
  const here = parsePaths((yield* make(findFiles(`{${inside},${inside}/**}`))).text);
  const stem = inside.split("/").at(-1) ?? inside;
  const like =
    here.length > 0 ? [] : parsePaths((yield* make(findFiles(`**/*${stem}*`))).text).filter(isTest);
  if (here.length === 0 && like.length === 0)
    return `I found no tests of “${part}”: no such file or folder, and no test file of that name. “run the tests” runs all of them.`;
  const paths = here.length > 0 ? [inside] : like.slice(0, 8);
  return yield* runAndReport(narrowed(found, paths));
}

/** The command for all tests, for some files or folders alone. */
function narrowed({ command, runsGo }: ProjectCommand, paths: readonly string[]): string {
  const words = (texts: readonly string[]): string => texts.map(quoteWhereNeeded).join(" ");
  if (!runsGo) return `${command}${command.startsWith("npm run ") ? " --" : ""} ${words(paths)}`;
  const folders = paths.map((path) => (path.endsWith(".go") ? dirname(path) : path));
  return `go test ${words([...new Set(folders)].map((folder) => `./${join(folder, "...")}`))}`;
}

function* explainTask(task: Task): AnswerScript {
  const found = yield* findCommand(task);
  if (typeof found === "string") return found;
  const { command, from, isUsual } = found;
  const why = isUsual ? `the usual command for a project with \`${from}\`` : `\`${from}\``;
  return `Use \`${command}\` (${why}). Say “run the ${nameTask(task)}” and I'll run it.`;
}

/** The command, or a sentence that says that there is none. */
function* findCommand(task: Task): PlannedCalls<ProjectCommand | string> {
  const manifests = yield* openManifests();
  const found = commandFor(task, manifests);
  if (found) return found;
  const read = manifests.files.map(({ path }) => inCode(path)).join(", ");
  const why = read === "" ? "I see no project file that I recognize" : `${read} does not name one`;
  return `I found no ${task} command: ${why}. Tell me the command: “run COMMAND”.`;
}

const counts =
  /\b\d+ (?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|errors?|warnings?|tests?|skipp?(?:ed)?|examples?)\b|^test result:|^Tests?:\s|^ok\s+\S+\s+[\d.]+s/i;
const fault =
  /\((?:fail|FAIL)\)|^\s*(?:✗|✘|×|not ok|FAILED|FAIL)\b|✗|^error\b|\berror(?:\[|:| TS)|\bpanicked at\b|^E\s{2,}|AssertionError|Error:|\b[Cc]annot\b|[Rr]ead-only/;
const place = /(?:^|[\s("'])((?:\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)*\.[a-z]{1,4}:\d+)(?::\d+)?/i;
const ending =
  /^\[(exit code \d+|killed by \w+|timed out[^\]]*|interrupted[^\]]*|stopped|ended because[^\]]*)\]$/m;

const lineChars = 300;

/** How the command ended, its counts, and after a failure the first errors and their places. */
export function reportOn(command: string, { text, failed, cleared }: CallStep): string {
  if (cleared)
    return `\`${command}\` ran, but its output was removed from the context to make room.`;
  if (/^(?:Runs|Running) in the background/.test(text)) return clipLine(text, 400);
  const how = ending.exec(text)?.[1];
  if (failed && how === undefined) return `\`${command}\` did not run: ${clipLine(text, 400)}`;
  const lines = text
    .split("\n")
    .map((line) => takeStart(line, lineChars))
    .filter((line) => line.trim() !== "" && line !== `[${how}]`);
  const summary = lines.filter((line) => counts.test(line)).slice(-4);
  const faults = failed ? lines.filter((line) => fault.test(line)).slice(0, 8) : [];
  const important = [...new Set([...faults, ...summary])];
  const shown = important.length > 0 ? important : ends(lines);
  const places = failed ? [...new Set(lines.flatMap((line) => place.exec(line)?.[1] ?? []))] : [];
  return paragraphs(
    `\`${command}\` ${failed ? `failed: ${how}` : "succeeded (exit code 0)"}.`,
    lines.length === 0 || text === "(no output)"
      ? "It printed nothing."
      : paragraphs(shown.length < lines.length ? "From its output:" : "", fenced(shown.join("\n"))),
    places.length === 0 ? "" : `Locations: ${places.slice(0, 6).map(inCode).join(", ")}`,
  );
}

/** The first and the last lines: a list begins with what matters, a build ends with it. */
const ends = (lines: readonly string[]): readonly string[] =>
  lines.length <= 20 ? lines : [...lines.slice(0, 9), "…", ...lines.slice(-9)];
