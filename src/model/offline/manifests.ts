/** Commands and dependencies in the files of a project. */

import type { FileStart } from "./files.ts";
import type { FoundLine } from "./results.ts";

export type Task = "test" | "build" | "lint" | "check" | "format" | "install" | "start";

const tasks: readonly (readonly [Task, RegExp])[] = [
  ["test", /\b(?:tests?|test ?suite|specs?)\b/i],
  ["lint", /\blint(?:er|ing)?\b/i],
  ["check", /\b(?:type ?-?check(?:er|ing|s)?|types)\b/i],
  ["format", /\bformat(?:ter|ting)?\b/i],
  ["install", /\b(?:install|set up)\b/i],
  ["build", /\b(?:builds?|compile)\b/i],
  [
    "start",
    /^(?:(?:start|run|launch)\b)?\s*(?:this|it|(?:the |this )?(?:app|application|program|project|dev server|server|code))$/i,
  ],
];

/** "run the tests", "build it", "the type checks"; null for anything else. */
export const recognizeTask = (words: string): Task | null =>
  words.split(/\s+/).length > 6 ? null : (tasks.find(([, form]) => form.test(words))?.[0] ?? null);

const scriptNames: Record<Task, string> = {
  test: "tests?|test:unit",
  build: "build|compile|dist",
  lint: "lint|eslint",
  check: "typecheck|type-check|check|tsc",
  format: "format:check|fmt:check|format|fmt",
  start: "start|dev|serve",
  // A script of this name runs after an installation.
  install: "(?!)",
};

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

/** `from`: where the project says so; `isUsual`: it does not, but such projects use this command. */
export type ProjectCommand = { command: string; from: string; isUsual: boolean };

/** `topFiles`: the names of all files next to them. Null: no file names a command for this. */
export function commandFor(
  task: Task,
  files: readonly FileStart[],
  topFiles: readonly string[],
): ProjectCommand | null {
  const form = new RegExp(`(?:^|[{,])\\s*"?(${scriptNames[task]})"?\\s*:(?!=)`);
  for (const file of files) {
    const line = listScripts(file).find(({ text }) => form.test(text));
    const name = form.exec(line?.text ?? "")?.[1];
    if (!line || !name || line.text.includes("no test specified")) continue;
    const command = `${chooseRunner(file, topFiles)} ${name}`;
    return { command, from: `${file.path}:${line.line}`, isUsual: false };
  }
  const [assumed] = files.flatMap((file) => {
    const { path } = file;
    const isNode = task === "install" && path === "package.json";
    const command = isNode
      ? `${chooseRunner(file, topFiles).replace(/ run$/, "")} install`
      : usual[path]?.[task];
    return command ? [{ command, from: path, isUsual: true }] : [];
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
export function listScripts({ path, lines }: FileStart): FoundLine[] {
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

export function listDependencies({ path, lines }: FileStart): FoundLine[] {
  const section = dependencySections[path];
  return section ? cutSection(lines, ...section) : [];
}

/** The lines between `start` and `end`; or the line of `start`, if more follows on it. */
function cutSection(lines: readonly FoundLine[], start: RegExp, end: RegExp): FoundLine[] {
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
