/** Commands and dependencies in the files of a project. */

import { openFile, type FileStart } from "./files.ts";
import { parsePaths, type MatchedLine } from "./results.ts";
import { make, type PlannedCalls } from "./script.ts";
import { findFiles } from "./tools.ts";

/** Tasks that a project has commands for: how people ask for them, script names, the task's name. */
const tasks = {
  test: {
    form: /\b(?:tests?|test ?suite|specs?)\b/i,
    scripts: "tests?|test:unit",
    called: "tests",
  },
  lint: { form: /\blint(?:er|ing)?\b/i, scripts: "lint|eslint", called: "linter" },
  check: {
    form: /\b(?:type ?-?check(?:er|ing|s)?|types)\b/i,
    scripts: "typecheck|type-check|check|tsc",
    called: "type check",
  },
  format: {
    form: /\bformat(?:ter|ting)?\b/i,
    scripts: "format:check|fmt:check|format|fmt",
    called: "formatter",
  },
  // A script of this name runs after an installation.
  install: { form: /\b(?:install|set up)\b/i, scripts: "(?!)", called: "install" },
  build: { form: /\b(?:builds?|compile)\b/i, scripts: "build|compile|dist", called: "build" },
  start: {
    form: /^(?:(?:start|run|launch)\b)?\s*(?:this|it|(?:the |this )?(?:app|application|program|project|dev server|server|code))$/i,
    scripts: "start|dev|serve",
    called: "app",
  },
};

export type Task = keyof typeof tasks;

const taskNames: readonly Task[] = ["test", "lint", "check", "format", "install", "build", "start"];

/** "run the tests", "build it", "the type checks"; null for anything else. */
export const recognizeTask = (words: string): Task | null =>
  words.split(/\s+/).length > 6
    ? null
    : (taskNames.find((task) => tasks[task].form.test(words)) ?? null);

export const nameTask = (task: Task): string => tasks[task].called;

/** In the order in which their commands are preferred; with the usual commands of such a project. */
const usual: Record<string, Partial<Record<Task, string>>> = {
  "package.json": {},
  Makefile: {},
  "Cargo.toml": {
    test: "cargo test",
    build: "cargo build",
    lint: "cargo clippy",
    check: "cargo check",
    format: "cargo fmt --check",
    install: "cargo build",
    start: "cargo run",
  },
  "go.mod": {
    test: "go test ./...",
    build: "go build ./...",
    lint: "go vet ./...",
    format: "gofmt -l .",
    install: "go mod download",
    start: "go run .",
  },
  "pyproject.toml": {
    test: "python3 -m pytest -q",
    build: "python3 -m build",
    install: "pip install -e .",
  },
  "requirements.txt": {
    test: "python3 -m pytest -q",
    install: "pip install -r requirements.txt",
  },
};

export const manifestNames = Object.keys(usual);

/** The manifests of the top folder, and the names of all files there. */
type Manifests = { names: string[]; files: FileStart[] };

/** A pattern with a slash does not search the folders below. */
export function* openManifests(): PlannedCalls<Manifests> {
  const { text, failed } = yield* make(findFiles("{*,/}", undefined, "files in the top folder"));
  const names = failed ? [] : parsePaths(text);
  const files: FileStart[] = [];
  for (const name of manifestNames) {
    const file = names.includes(name) ? yield* openFile(name) : null;
    if (file) files.push(file);
  }
  return { names, files };
}

/**
 * `from`: where the project says so; `isUsual`: it does not, but such projects use this command;
 * `runsGo`: it is a Go module, whose tests are named by their folders.
 */
export type ProjectCommand = { command: string; from: string; isUsual: boolean; runsGo: boolean };

/** Null: no file names a command for this. */
export function commandFor(task: Task, { names, files }: Manifests): ProjectCommand | null {
  const runsGo = names.includes("go.mod");
  const form = new RegExp(`(?:^|[{,])\\s*"?(${tasks[task].scripts})"?\\s*:(?!=)`);
  for (const file of files) {
    const line = listScripts(file).find(({ text }) => form.test(text));
    const name = form.exec(line?.text ?? "")?.[1];
    if (!line || !name || line.text.includes("no test specified")) continue;
    const command = `${chooseRunner(file, names)} ${name}`;
    return { command, from: `${file.path}:${line.line}`, isUsual: false, runsGo };
  }
  const [assumed] = files.flatMap((file) => {
    const { path } = file;
    const isNode = task === "install" && path === "package.json";
    const command = isNode
      ? `${chooseRunner(file, names).replace(/ run$/, "")} install`
      : usual[path]?.[task];
    return command ? [{ command, from: path, isUsual: true, runsGo }] : [];
  });
  return assumed ?? null;
}

function chooseRunner({ path, lines }: FileStart, topFiles: readonly string[]): string {
  if (path === "Makefile") return "make";
  if (topFiles.some((file) => file.startsWith("bun.lock"))) return "bun run";
  if (topFiles.includes("pnpm-lock.yaml")) return "pnpm run";
  if (topFiles.includes("yarn.lock")) return "yarn run";
  return lines.some(({ text }) => /"bun-types"|"@types\/bun"|"bun":|:\s*"bun /.test(text))
    ? "bun run"
    : "npm run";
}

/** The lines of package.json's scripts, or of the targets of a Makefile. */
export function listScripts({ path, lines }: FileStart): MatchedLine[] {
  if (path === "Makefile") return lines.filter(({ text }) => /^[\w-]+\s*:(?!=)/.test(text));
  return path === "package.json" ? cutSection(lines, /"scripts"\s*:\s*\{/, /\}/) : [];
}

const dependencySections: Record<string, readonly [start: RegExp, end: RegExp]> = {
  "package.json": [/"\w*dependencies"\s*:\s*\{/i, /\}/],
  "Cargo.toml": [/^\[(?:[\w.-]+\.)?(?:dev-|build-)?dependencies\]/, /^\s*(?:\[|$)/],
  "go.mod": [/^require\b\s*\(?/, /^\)/],
  "pyproject.toml": [
    /^(?:dependencies|dev|tests?|lint|docs)\s*=\s*\[|^\[tool\.poetry\.(?:group\.[\w-]+\.)?dependencies\]/,
    /\]\s*$|^\s*$/,
  ],
  "requirements.txt": [/^(?=\s*[\w.-])/, /^/],
};

export function listDependencies({ path, lines }: FileStart): MatchedLine[] {
  const section = dependencySections[path];
  return section ? cutSection(lines, ...section) : [];
}

/** The lines between `start` and `end`; or the line of `start`, if more follows on it. */
function cutSection(lines: readonly MatchedLine[], start: RegExp, end: RegExp): MatchedLine[] {
  return lines.flatMap((line, at) => {
    const opening = start.exec(line.text);
    if (!opening) return [];
    const rest = line.text.slice(opening.index + opening[0].length);
    if (/\w/.test(rest)) return [line];
    if (end.test(rest) && rest.trim() !== "") return [];
    const following = lines.slice(at + 1);
    const last = following.findIndex(({ text }) => end.test(text));
    return following.slice(0, last === -1 ? undefined : last);
  });
}
