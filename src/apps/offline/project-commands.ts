/** How a project is tested, built and linted, as its own files say. */

import { numberedLines, type Line } from "./results.ts";
import { argument, type Step } from "./turn.ts";

export type Task = "test" | "build" | "lint" | "check" | "format" | "start";

/** In the order in which they are believed. */
export const manifests = [
  "package.json",
  "Makefile",
  "justfile",
  "Cargo.toml",
  "go.mod",
  "pyproject.toml",
  "setup.py",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  "Gemfile",
  "mix.exs",
  "composer.json",
  "deno.json",
  "CMakeLists.txt",
] as const;

export const lockFiles = ["bun.lock", "bun.lockb", "pnpm-lock.yaml", "yarn.lock"] as const;

export function taskIn(wish: string): Task | null {
  if (wish.split(/\s+/).length > 7) return null;
  return tasks.find(([, words]) => words.test(wish))?.[0] ?? null;
}

const tasks: readonly (readonly [Task, RegExp])[] = [
  ["test", /\b(?:tests?|test ?suite|specs?)\b/i],
  ["lint", /\blint(?:er|ing)?\b/i],
  ["check", /\b(?:type ?-?check(?:er|ing|s)?|types|checks?)\b/i],
  ["format", /\bformat(?:ter|ting)?\b/i],
  ["build", /\b(?:builds?|compile)\b/i],
  ["start", /^(?:the )?(?:app|application|program|dev server|server|start script)$/i],
];

const scriptNames: Record<Task, readonly string[]> = {
  test: ["test", "tests", "test:unit", "check:test"],
  build: ["build", "compile", "dist"],
  lint: ["lint", "eslint", "check:lint"],
  check: ["typecheck", "type-check", "check", "tsc", "types", "check:types"],
  format: ["format:check", "fmt:check", "format", "fmt", "prettier"],
  start: ["start", "dev", "serve"],
};

const byManifest: Record<string, Partial<Record<Task, string>>> = {
  "Cargo.toml": {
    test: "cargo test",
    build: "cargo build",
    lint: "cargo clippy",
    check: "cargo check",
    format: "cargo fmt --check",
    start: "cargo run",
  },
  "go.mod": {
    test: "go test ./...",
    build: "go build ./...",
    lint: "go vet ./...",
    check: "go vet ./...",
    format: "gofmt -l .",
    start: "go run .",
  },
  "pyproject.toml": {
    test: "python3 -m pytest -q",
    build: "python3 -m build",
    lint: "ruff check .",
    check: "mypy .",
    format: "ruff format --check .",
  },
  "setup.py": { test: "python3 -m pytest -q" },
  "pom.xml": { test: "mvn -q test", build: "mvn -q package" },
  "build.gradle": { test: "gradle test", build: "gradle build", check: "gradle check" },
  "build.gradle.kts": { test: "gradle test", build: "gradle build", check: "gradle check" },
  Gemfile: { test: "bundle exec rake test", lint: "bundle exec rubocop" },
  "mix.exs": { test: "mix test", build: "mix compile", format: "mix format --check-formatted" },
  "composer.json": { test: "composer test" },
  "deno.json": { test: "deno test", lint: "deno lint", format: "deno fmt --check" },
};

export type Found = { command: string; from: string };

/** `files` are the names at the top of the project. Null: none of its files tells. */
export function commandFor(
  task: Task,
  reads: readonly Step[],
  files: readonly string[],
): Found | null {
  for (const name of manifests) {
    const step = reads.find((one) => argument(one, "path") === name && !one.failed);
    if (!step) continue;
    const lines = numberedLines(step.text);
    const found =
      name === "package.json"
        ? inScripts(task, lines, files)
        : name === "Makefile" || name === "justfile"
          ? inTargets(task, name, lines)
          : fixed(task, name, lines);
    if (found) return found;
  }
  return null;
}

function inScripts(task: Task, lines: readonly Line[], files: readonly string[]): Found | null {
  const scripts = scriptsIn(lines);
  for (const name of scriptNames[task]) {
    const script = scripts.find(({ text }) =>
      new RegExp(`(?:^|[{,])\\s*"${name}"\\s*:`).test(text),
    );
    if (script && !/no test specified/.test(script.text))
      return { command: `${runner(lines, files)} ${name}`, from: `package.json:${script.number}` };
  }
  return null;
}

function runner(lines: readonly Line[], files: readonly string[]): string {
  if (files.some((file) => file.startsWith("bun.lock"))) return "bun run";
  if (files.includes("pnpm-lock.yaml")) return "pnpm run";
  if (files.includes("yarn.lock")) return "yarn run";
  const bun = lines.some(({ text }) => /"bun-types"|"@types\/bun"|"bun":|:\s*"bun /.test(text));
  return bun ? "bun run" : "npm run --silent";
}

function inTargets(task: Task, file: string, lines: readonly Line[]): Found | null {
  for (const name of scriptNames[task]) {
    const target = lines.find(({ text }) => new RegExp(`^${name}\\s*:(?!=)`).test(text));
    const program = file === "Makefile" ? "make" : "just";
    if (target) return { command: `${program} ${name}`, from: `${file}:${target.number}` };
  }
  return null;
}

function fixed(task: Task, file: string, lines: readonly Line[]): Found | null {
  const command = byManifest[file]?.[task];
  return command ? { command, from: `${file}:${lines[0]?.number ?? 1}` } : null;
}

/** The lines of a package.json's scripts. */
export function scriptsIn(lines: readonly Line[]): Line[] {
  const start = lines.findIndex(({ text }) => /"scripts"\s*:/.test(text));
  if (start === -1) return [];
  // All of it on one line.
  if (/"scripts"\s*:\s*\{[^}]*\}/.test(lines[start]?.text ?? ""))
    return lines.slice(start, start + 1);
  const end = lines.findIndex(({ text }, index) => index > start && /^\s*\}/.test(text));
  return lines.slice(start + 1, end === -1 ? start + 20 : end);
}
