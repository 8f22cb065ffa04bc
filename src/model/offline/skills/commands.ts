import { call, type Skill } from "../skill.ts";
import { argument, numberedLines, type Step, type Turn } from "../turn.ts";
import { scriptsIn } from "./about.ts";

const runs = /^(?:please\s+)?(?:can you\s+)?(?:run|execute|do)\s+(?:the\s+)?(.+)$/is;
const named = /\b(tests?|build|lint(er)?|type ?check|format(ter)?)\b/i;
const git =
  /^(?:show\s+(?:me\s+)?)?(?:the\s+)?(git (?:status|log|diff|branch)\b.*|what (?:has )?changed.*|status)\??$/i;

/** Never run, whatever was asked: nobody who asks a planner for this means it. */
const destructive =
  /\brm\s+-\w*[rf]|\bmkfs|\bdd\s+.*of=|\bshutdown\b|\breboot\b|:\(\)\s*\{|>\s*\/dev\/sd|\bgit\s+(push|reset\s+--hard|clean)\b|\bsudo\b|\bcurl\b.*\|\s*(ba)?sh/i;

/** "Run the tests", "run `CMD`", "git status": finds the command, runs it, tells how it ended. */
export const commands: Skill = (turn) => {
  const wanted = commandIn(turn.question);
  if (!wanted) return null;
  if ("command" in wanted) return runAndReport(turn, wanted.command);
  const manifest = turn.steps.filter(({ tool }) => tool === "read_file");
  if (manifest.length === 0) {
    return {
      say: `Looking for the command of this project for “${wanted.task}”.`,
      calls: ["package.json", "Makefile", "Cargo.toml", "go.mod", "pyproject.toml"].map((path) =>
        call("read_file", { path, limit: 200 }),
      ),
    };
  }
  const found = commandFor(wanted.task, manifest);
  if (!found) {
    return {
      say: `I find no command for “${wanted.task}” in package.json, Makefile, Cargo.toml, go.mod or pyproject.toml. Tell me which: “run \`CMD\`”.`,
    };
  }
  return runAndReport(turn, found.command, found.from);
};

function commandIn(question: string): { command: string } | { task: string } | null {
  const text = question.trim();
  const quoted = /^(?:please\s+)?(?:can you\s+)?(?:run|execute)\b[^`]*`([^`]+)`/is.exec(text)?.[1];
  if (quoted) return { command: quoted.trim() };
  const asked = git.exec(text)?.[1];
  if (asked)
    return {
      command: /^git /i.test(asked) ? asked.toLowerCase() : "git status --short && git diff --stat",
    };
  const wish = runs
    .exec(text)?.[1]
    ?.trim()
    .replace(/[.!?]+$/, "");
  if (!wish) return null;
  const task = named.exec(wish)?.[1];
  if (task && wish.split(/\s+/).length <= 6) return { task: task.toLowerCase() };
  return /^[\w./-]+( [^\n]*)?$/.test(wish) &&
    /^(ls|cat|git|npm|npx|bun|node|python3?|cargo|go|make|echo|pwd|wc|head|tail|env|date|grep|rg|find|du|df|uname|which|\.\/)/.test(
      wish,
    )
    ? { command: wish }
    : null;
}

function commandFor(
  task: string,
  manifests: readonly Step[],
): { command: string; from: string } | null {
  const kind = task.startsWith("test")
    ? "test"
    : task.startsWith("lint")
      ? "lint"
      : task.startsWith("build")
        ? "build"
        : task.startsWith("format")
          ? "format"
          : "check";
  for (const step of manifests) {
    if (step.failed) continue;
    const path = argument(step, "path");
    const lines = numberedLines(step.text);
    if (path === "package.json") {
      const script = scriptsIn(lines).find(
        ({ text }) =>
          new RegExp(`^\\s*"(${kind}|${kind}s|typecheck)"`).test(text) &&
          (kind !== "test" || /"tests?"/.test(text)),
      );
      const runner = lines.some(({ text }) => /"bun-types"|"bun":/.test(text))
        ? "bun run"
        : "npm run --silent";
      if (script)
        return {
          command: `${runner} ${/"([\w:-]+)"/.exec(script.text)?.[1] ?? kind}`,
          from: `package.json:${script.number}`,
        };
    }
    if (path === "Makefile") {
      const target = lines.find(({ text }) => text.startsWith(`${kind}:`));
      if (target) return { command: `make ${kind}`, from: `Makefile:${target.number}` };
    }
    const tools: Record<string, Record<string, string>> = {
      "Cargo.toml": {
        test: "cargo test",
        build: "cargo build",
        lint: "cargo clippy",
        check: "cargo check",
        format: "cargo fmt --check",
      },
      "go.mod": {
        test: "go test ./...",
        build: "go build ./...",
        lint: "go vet ./...",
        check: "go vet ./...",
        format: "gofmt -l .",
      },
      "pyproject.toml": {
        test: "python3 -m pytest -q",
        build: "python3 -m build",
        lint: "ruff check .",
        check: "mypy .",
        format: "ruff format --check .",
      },
    };
    const command = tools[path]?.[kind];
    if (command) return { command, from: `${path}:1` };
  }
  return null;
}

function runAndReport(turn: Turn, command: string, from?: string) {
  if (destructive.test(command))
    return {
      say: `I do not run \`${command}\`: it destroys or publishes things. Run it yourself if you mean it.`,
    };
  const done = turn.steps.find(
    (step) => step.tool === "bash" && argument(step, "command") === command,
  );
  if (done) return { say: report(command, done) };
  return {
    say: from ? `Running \`${command}\` (from \`${from}\`).` : `Running \`${command}\`.`,
    calls: [call("bash", { command })],
  };
}

function report(command: string, { text, failed }: Step): string {
  if (/^The user declined|declined this call/.test(text))
    return `You declined \`${command}\`, so it did not run.`;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const counts = lines
    .filter((line) => /\b\d+ (pass(ed)?|fail(ed|ures?)?|error(s)?|tests?|skipped)\b/i.test(line))
    .slice(-4);
  const faults = lines
    .filter((line) => /\b(error|failed|failure|panic|FAIL|✗)\b|[\w./-]+\.\w+:\d+(:\d+)?/.test(line))
    .slice(0, 8);
  const ending = /exit code (\d+)/i.exec(text)?.[1];
  const shown = failed ? [...faults, ...counts] : counts.length > 0 ? counts : lines.slice(-20);
  return [
    `\`${command}\` ${failed ? `failed${ending ? ` with exit code ${ending}` : ""}` : "ended well (exit code 0)"}.`,
    shown.length === 0
      ? "It printed nothing."
      : `\`\`\`\n${[...new Set(shown)].join("\n")}\n\`\`\``,
  ].join("\n\n");
}
