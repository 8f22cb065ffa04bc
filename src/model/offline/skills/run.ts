import type { ToolInput } from "../../../protocol/block.ts";
import type { CallStep } from "../conversation.ts";
import { openFile } from "../files.ts";
import { parsePaths } from "../results.ts";
import { make, type PlannedCalls, type AnswerScript, type Skill } from "../script.ts";
import { bare, fenced, inCode, paragraphs } from "../text.ts";
import { findFiles, runCommand } from "../tools.ts";
import { clipLine, takeStart } from "../../../base/clip.ts";

const quotedCommand = /^(?:please\s+)?run\b[^`]*`([^`]+)`\W*$/is;
const bareCommand =
  /^(?:run\s+|\$\s+)([a-z][\w.-]*(?:\s[^\n]*)?)$|^(git (?:status|log|diff)\b.*|ls -.*)$/;
const tests =
  /^(?:run|do)\s+(?:all\s+)?(?:the\s+|our\s+|my\s+)?(?:unit )?tests?(?: pass)?$|^test it$/i;
const notACommand = /^(?:the|a|an|my|this|that|it|all|every)\b/i;

/** "Run the tests", "run `COMMAND`". */
export const run: Skill = (request) => {
  const quoted = quotedCommand.exec(request.trim())?.[1];
  if (quoted) return runAndReport(quoted.trim());
  const text = bare(request);
  if (tests.test(text)) return runTests();
  const [, ran, plain] = bareCommand.exec(text) ?? [];
  const command = ran ?? plain;
  return command === undefined || notACommand.test(command) ? null : runAndReport(command);
};

/** The usual commands, by the file that tells the kind of project. */
const usual: readonly (readonly [file: string, command: string])[] = [
  ["Cargo.toml", "cargo test"],
  ["go.mod", "go test ./..."],
  ["pyproject.toml", "python3 -m pytest -q"],
  ["requirements.txt", "python3 -m pytest -q"],
];

function* runTests(): AnswerScript {
  const command = yield* findTests();
  return command === null
    ? "I found no command for the tests: no script or target `test`, and no project file that I know. Say “run `COMMAND`”."
    : yield* runAndReport(command, { timeout: 600_000 });
}

function* findTests(): PlannedCalls<string | null> {
  // A pattern with a slash does not search the folders below.
  const top = yield* make(findFiles("{*,/}", undefined, "files in the top folder"));
  const names = top.failed ? [] : parsePaths(top.text);
  const holds = function* (name: string, form: RegExp): PlannedCalls<boolean> {
    const file = names.includes(name) ? yield* openFile(name) : null;
    return file?.lines.some(({ text }) => form.test(text)) ?? false;
  };
  if (yield* holds("package.json", /"test"\s*:(?!.*no test specified)/)) {
    if (names.some((name) => name.startsWith("bun.lock"))) return "bun run test";
    if (names.includes("pnpm-lock.yaml")) return "pnpm run test";
    return names.includes("yarn.lock") ? "yarn run test" : "npm run test";
  }
  if (yield* holds("Makefile", /^test\s*:/)) return "make test";
  return usual.find(([file]) => names.includes(file))?.[1] ?? null;
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

const counts =
  /\b\d+ (?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|errors?|tests?)\b|^test result:|^ok\s+\S+/i;
const fault =
  /\(fail\)|^\s*(?:✗|×|not ok|FAIL(?:ED)?)\b|\berror(?:\[|:| TS)|\bpanicked at\b|Error:|[Rr]ead-only/;
const ending =
  /^\[(exit code \d+|killed by \w+|timed out[^\]]*|interrupted[^\]]*|stopped|ended because[^\]]*)\]$/m;

const lineChars = 300;

/** How the command ended, its counts, and after a failure the first errors. */
function reportOn(command: string, { text, failed, cleared }: CallStep): string {
  const ran = inCode(command);
  if (cleared) return `${ran} ran, but its output was removed from the context to make room.`;
  if (/^(?:Runs|Running) in the background/.test(text)) return clipLine(text, 400);
  const how = ending.exec(text)?.[1];
  if (failed && how === undefined) return `${ran} did not run: ${clipLine(text, 400)}`;
  const lines = text
    .split("\n")
    .map((line) => takeStart(line, lineChars))
    .filter((line) => line.trim() !== "" && line !== `[${how}]`);
  const summary = lines.filter((line) => counts.test(line)).slice(-4);
  const faults = failed ? lines.filter((line) => fault.test(line)).slice(0, 8) : [];
  const important = [...new Set([...faults, ...summary])];
  const shown = important.length > 0 ? important : ends(lines);
  return paragraphs(
    `${ran} ${failed ? `failed: ${how}` : "succeeded (exit code 0)"}.`,
    lines.length === 0 || text === "(no output)"
      ? "It printed nothing."
      : paragraphs(shown.length < lines.length ? "From its output:" : "", fenced(shown.join("\n"))),
  );
}

/** The first and the last lines: a list begins with what matters, a build ends with it. */
const ends = (lines: readonly string[]): readonly string[] =>
  lines.length <= 20 ? lines : [...lines.slice(0, 9), "…", ...lines.slice(-9)];
