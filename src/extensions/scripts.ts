/**
 * The files of a project that a command runs: those that it names, and those that the programs in it
 * read to know what to run, such as `package.json` for `npm run lint`.
 */

import { closeSync, lstatSync, openSync, readFileSync, readSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { attempt, isRecord, parseJson } from "../base/guards.ts";
import { holds } from "../tools/workspace.ts";

const python =
  "pyproject.toml setup.cfg setup.py tox.ini noxfile.py pytest.ini conftest.py sitecustomize.py manage.py";
const node =
  "package.json pnpm-workspace.yaml turbo.json nx.json project.json lerna.json bunfig.toml tsconfig.json " +
  "deno.json deno.jsonc import_map.json gulpfile.js gulpfile.mjs gulpfile.ts Gruntfile.js";

/** Programs, and the files that tell them what to run. */
const recipes: readonly (readonly [programs: RegExp, files: string])[] = [
  [
    /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|deno|node|tsx|ts-node|turbo|nx|lerna|gulp|grunt|corepack)$/,
    node,
  ],
  [/^(?:g|b|d)?make$|^remake$/, "Makefile makefile GNUmakefile BSDmakefile"],
  [/^just$/, "justfile Justfile .justfile"],
  [
    /^(?:go-)?task$/,
    "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml",
  ],
  [/^(?:mise|asdf|direnv|devbox)$/, "mise.toml mise.local.toml mise-tasks devbox.json"],
  [
    /^(?:python[\d.]*|py|pytest|py\.test|tox|nox|uv|uvx|poetry|pdm|hatch|pipenv|pipx|invoke|inv|mypy|ruff|black|isort|flake8|pylint|coverage)$/,
    `${python} tasks.py mypy.ini Pipfile`,
  ],
  [/^(?:cargo|rustc|rustup)$/, "Cargo.toml build.rs rust-toolchain.toml rust-toolchain"],
  [/^go$/, "go.mod go.work main.go"],
  [
    /^(?:gradle|gradlew)$/,
    "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradle",
  ],
  [/^(?:mvn|mvnw|mvnd)$/, "pom.xml"],
  [
    /^(?:ant|sbt|mill|lein|clojure|clj)$/,
    "build.xml build.sbt project build.sc project.clj deps.edn",
  ],
  [
    /^(?:rake|bundle|ruby|rails|rspec|rubocop)$/,
    "Rakefile rakefile Rakefile.rb Gemfile config/boot.rb bin",
  ],
  [/^(?:composer|php|phpunit|artisan)$/, "composer.json phpunit.xml phpunit.xml.dist artisan"],
  [
    /^(?:docker|docker-compose|podman|podman-compose|nerdctl)$/,
    "compose.yaml compose.yml docker-compose.yml docker-compose.yaml docker-compose.override.yml Dockerfile",
  ],
  [/^(?:cmake|ctest|ninja|meson)$/, "CMakeLists.txt CMakePresets.json build.ninja meson.build"],
  [
    /^(?:bazel|bazelisk|buck2|pants|earthly|dagger)$/,
    "WORKSPACE MODULE.bazel BUILD BUILD.bazel BUCK pants.toml Earthfile dagger.json",
  ],
  [/^(?:dotnet|msbuild)$/, "Directory.Build.props Directory.Build.targets global.json"],
  [/^(?:mix|rebar3|elixir)$/, "mix.exs rebar.config"],
  [/^(?:swift|xcodebuild|fastlane|pod)$/, "Package.swift Podfile fastlane"],
  [/^(?:lefthook|husky|lint-staged|pre-commit)$/, "lefthook.yml lefthook.yaml package.json"],
  [/^(?:terraform|tofu|vagrant|procfile|foreman|honcho|overmind)$/, "main.tf Vagrantfile Procfile"],
];

/** Endings of the files in which programs of JavaScript look for their settings. */
const configEndings = "js cjs mjs ts cts mts json yaml yml toml".split(" ");

/** How often a script that is named in a file is looked up in turn. */
const maxDepth = 4;

/** A project that names more is not followed further. */
const maxFiles = 500;

/** `at`: the folder in which the command runs. */
type ScriptSearch = {
  root: string;
  at: string;
  files: Set<string>;
  depth: number;
  /** Commands that were followed, with folder and depth: the scripts of a package lead to each other. */
  seen: Set<string>;
};

/**
 * Absolute paths, also of files that do not exist yet but would be read if they did. Of programs in
 * `node_modules` the folder of the package.
 */
export function scriptsRunBy(words: readonly string[], root: string): string[] {
  const found: ScriptSearch = { root, at: root, files: new Set(), depth: 0, seen: new Set() };
  addScripts(words, found);
  return [...found.files];
}

function addScripts(words: readonly string[], found: ScriptSearch): void {
  const { root, files, depth, seen } = found;
  const visit = JSON.stringify([depth, found.at, words]);
  if (depth > maxDepth || files.size > maxFiles || seen.has(visit)) return;
  seen.add(visit);
  const names = words.flatMap((word) =>
    word
      .replace(/["'`;|&()]/g, " ")
      .replace(/\$\{?(?:CLAUDE_PROJECT_DIR|PWD)\}?/g, root)
      .split(/[\s=]+/)
      .filter((name) => name !== ""),
  );
  const inner = { ...found, depth: depth + 1 };
  const named = names.map((name) => resolve(found.at, name));
  const folders = [
    ...new Set([root, found.at, ...named.filter((path) => isBelow(path, root) && isFolder(path))]),
  ];
  for (const [at, name] of names.entries()) {
    for (const path of [resolve(root, name), resolve(found.at, name)]) {
      if (!/[./]/.test(name) || !isBelow(path, root)) continue;
      // Writing through a link, or in a linked folder, is judged by where it leads.
      const real = attempt(() => realpathSync(path), path);
      for (const file of [path, real]) if (isBelow(file, root) && isFile(file)) files.add(file);
      // Whoever makes it later decides what runs.
      const isNamed = isScript.test(name) || name.startsWith("./");
      if (isNamed && readStat(path) === undefined) files.add(path);
    }
    const program = basename(name);
    for (const folder of folders) {
      for (const recipe of matchRecipes(program))
        addRecipe(join(folder, recipe), names.slice(at + 1), inner);
      addInstalled(join(folder, "node_modules/.bin", program), program, folder, found);
    }
    // A module of Python, by its name.
    if (names[at - 1] === "-m")
      for (const ending of [".py", "/__main__.py", "/__init__.py"])
        files.add(join(root, name.replaceAll(".", "/") + ending));
  }
}

const matchRecipes = (program: string): string[] =>
  recipes.flatMap(([programs, names]) => (programs.test(program) ? names.split(" ") : []));

/** A file that says what to run, and what the task of it that is named runs. */
function addRecipe(file: string, names: readonly string[], found: ScriptSearch): void {
  found.files.add(file);
  if (!isFile(file)) return;
  if (basename(file) !== "package.json") {
    // Whatever scripts it names may be run by the task.
    const text = attempt(() => readFileSync(file, "utf8").slice(0, maxRecipeChars), "");
    for (const name of text.split(/[\s"'`;|&(),=@:$<>[\]{}]+/)) {
      const path = resolve(dirname(file), name);
      if (isScript.test(name) && isBelow(path, found.root) && isFile(path)) found.files.add(path);
    }
    return;
  }
  const read = parseJson(attempt(() => readFileSync(file, "utf8"), ""));
  const scripts = isRecord(read) && isRecord(read["scripts"]) ? read["scripts"] : {};
  for (const name of ["test", "start", "install", ...names])
    for (const key of [`pre${name}`, name, `post${name}`]) {
      const script = Object.hasOwn(scripts, key) ? scripts[key] : undefined;
      if (typeof script === "string")
        addScripts(script.split(/\s+/), { ...found, at: dirname(file) });
    }
}

const isScript =
  /(?:^|\/)(?:s?bin|scripts?|hack|tools?|ci)\/|\.(?:sh|bash|zsh|fish|py|[cm]?[jt]s|rb|pl|php|lua|ps1|mk|make|gradle|kts)$/;

const maxRecipeChars = 200_000;

/** A program of an installed package, and its settings. */
function addInstalled(
  bin: string,
  program: string,
  folder: string,
  { root, files }: ScriptSearch,
): void {
  const real = attempt(() => realpathSync(bin), null);
  if (real === null || !isBelow(real, root)) return;
  const [, installed] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(real) ?? [];
  files.add(bin);
  files.add(installed === undefined || installed.endsWith("/.bin") ? real : installed);
  for (const ending of configEndings) files.add(join(folder, `${program}.config.${ending}`));
}

const isBelow = (path: string, root: string): boolean => holds(root, path) && path !== root;
const isFile = (path: string): boolean => readStat(path)?.isFile() === true;
const isFolder = (path: string): boolean => readStat(path)?.isDirectory() === true;
const readStat = (path: string) =>
  attempt(() => lstatSync(path, { throwIfNoEntry: false }), undefined);

/** Identifies something that a project asks for, with the content of the scripts that it runs. */
export function hashAsk(value: unknown, words: readonly string[], root: string): string {
  const hasher = new Bun.CryptoHasher("sha256").update(JSON.stringify(value));
  for (const script of scriptsRunBy(words, root).toSorted()) {
    // Of an installed package, what it says of itself.
    const file = isFolder(script) ? join(script, "package.json") : script;
    if (!isFile(file)) continue;
    hasher.update(`\0${file.slice(root.length)}\0`);
    attempt(() => hashFile(file, hasher), undefined);
  }
  return hasher.digest("hex");
}

/** Identifies the tools that a command of the project uses without asking. */
export const hashTools = (name: string, tools: readonly string[]): string =>
  hashAsk(["tools", name, tools], [], "/");

const chunkBytes = 1024 * 1024;

/** All of it, however large. */
function hashFile(path: string, hasher: Bun.CryptoHasher): void {
  const file = openSync(path, "r");
  try {
    const chunk = Buffer.alloc(chunkBytes);
    for (let bytes = readSync(file, chunk); bytes > 0; bytes = readSync(file, chunk))
      hasher.update(chunk.subarray(0, bytes));
  } finally {
    closeSync(file);
  }
}

/** Paths to watch for changes: the scripts, and the folders of those that a command names itself. */
export const watchedScripts = (commands: readonly string[], root: string): string[] => [
  ...new Set(
    commands.flatMap((command) => {
      const files = scriptsRunBy(command.split(/\s+/), root);
      const beside = files.filter((file) => command.includes(basename(file)) && isFile(file));
      return [...files, ...beside.map(dirname).filter((folder) => isBelow(folder, root))];
    }),
  ),
];
