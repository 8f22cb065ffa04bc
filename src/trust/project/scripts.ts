/**
 * The files of a project that a command runs: those that it names, and those that the programs in it
 * read to know what to run, such as `package.json` for `npm run lint`.
 */

import {
  closeSync,
  lstatSync,
  type Stats,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
} from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { attempt, isRecord, parseJson } from "../../base/guards.ts";
import { holds } from "../../tools/workspace.ts";

const python =
  "pyproject.toml setup.cfg setup.py tox.ini noxfile.py pytest.ini conftest.py sitecustomize.py manage.py";
const node =
  "package.json pnpm-workspace.yaml turbo.json nx.json project.json lerna.json bunfig.toml tsconfig.json " +
  "deno.json deno.jsonc import_map.json gulpfile.js gulpfile.mjs gulpfile.ts Gruntfile.js";

/** Programs, and the files that tell them what to run. */
const recipes: readonly (readonly [programs: RegExp, files: string])[] = [
  [
    /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|deno|node|tsx|ts-node|turbo|nx|lerna|gulp|grunt|corepack|run-[sp]|npm-run-all2?|concurrently)$/,
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

/** Folders in which the words of one command are looked up. */
const maxFolders = 30;

/** `at`: the folder in which the command runs. */
type ScriptSearch = {
  root: string;
  at: string;
  files: Set<string>;
  depth: number;
  /** Commands that were followed, with folder and depth: the scripts of a package lead to each other. */
  seen: Set<string>;
  disk: Disk;
};

/** The disk as a search finds it: what is at a path is asked once. */
class Disk {
  readonly #stats = new Map<string, Stats | undefined>();
  readonly #manifests = new Map<string, Record<string, unknown>>();

  stat(path: string): Stats | undefined {
    if (!this.#stats.has(path))
      this.#stats.set(
        path,
        attempt(() => lstatSync(path, { throwIfNoEntry: false }), undefined),
      );
    return this.#stats.get(path);
  }

  isFile(path: string): boolean {
    return this.stat(path)?.isFile() === true;
  }

  isFolder(path: string): boolean {
    return this.stat(path)?.isDirectory() === true;
  }

  /** Null: it is no link. */
  link(path: string): string | null {
    return this.stat(path)?.isSymbolicLink() ? attempt(() => readlinkSync(path), null) : null;
  }

  /** A `package.json`; empty when it cannot be read. */
  manifest(file: string): Record<string, unknown> {
    const known = this.#manifests.get(file);
    if (known) return known;
    const read = parseJson(attempt(() => readFileSync(file, "utf8"), ""));
    const manifest = isRecord(read) ? read : {};
    this.#manifests.set(file, manifest);
    return manifest;
  }
}

/**
 * Absolute paths, also of files that do not exist yet but would be read if they did. Of programs in
 * `node_modules` the folder of the package.
 */
function scriptsRunBy(words: readonly string[], root: string, disk: Disk): string[] {
  const files = new Set<string>();
  addScripts(words, { root, at: root, files, depth: 0, seen: new Set(), disk });
  return [...files];
}

function addScripts(words: readonly string[], found: ScriptSearch): void {
  const { root, files, depth, seen, disk } = found;
  const visit = JSON.stringify([depth, found.at, words]);
  if (depth > maxDepth || files.size > maxFiles || seen.has(visit)) return;
  seen.add(visit);
  const text = withoutVariables(words.join(" "), root);
  const names = listNames(text);
  for (const [, folders = ""] of text.replace(/["']/g, "").matchAll(searchPath))
    for (const folder of folders.split(":")) addFolder(resolve(found.at, folder), found);
  const inner = { ...found, depth: depth + 1 };
  const named = names.map((name) => resolve(found.at, name));
  const folders = [
    ...new Set([
      root,
      found.at,
      ...named.filter((path) => isBelow(path, root) && disk.isFolder(path)),
    ]),
  ].slice(0, maxFolders);
  const looked = new Set<string>();
  const programs = new Set<string>();
  /** The last word that is no option. */
  let before = "";
  for (const [at, name] of names.entries()) {
    // Whoever makes it later decides what runs.
    const isNamed =
      !name.includes(" ") &&
      (isScript.test(name) || name.startsWith("./") || interpreter.test(before));
    const isNew = !looked.has(`${isNamed} ${name}`);
    looked.add(`${isNamed} ${name}`);
    for (const folder of isNew ? folders : []) {
      const path = resolve(folder, name);
      if (!isBelow(path, root)) continue;
      const { links, end } = followInside(path, found);
      if (disk.isFile(end) || (isNamed && disk.stat(end) === undefined))
        addAll([...links, end], found);
    }
    const [, covered = /^(?:run-parts|find)$/.test(before) ? name : undefined] =
      /^([^*?[]*)\/[^/]*[*?[]/.exec(name) ?? [];
    if (covered !== undefined) addFolder(resolve(found.at, covered), found);
    for (const folder of folders) addEntry(basename(before), resolve(folder, name), found);
    const isModule = names[at - 1] === "-m";
    if (!/^-[^c]*$|^--/.test(name)) before = name;
    // A module of Python, by its name.
    if (isModule)
      for (const ending of [".py", "/__main__.py", "/__init__.py"])
        addPath(join(root, name.replaceAll(".", "/") + ending), found);
    const program = basename(name);
    // Named again, it runs what stands behind its first name, too.
    if (programs.has(program)) continue;
    programs.add(program);
    for (const folder of folders) {
      for (const recipe of matchRecipes(program))
        addRecipe(join(folder, recipe), names.slice(at + 1), inner);
      addInstalled(join(folder, "node_modules/.bin", program), program, folder, found);
    }
  }
}

/** With the folder in place of its variable. */
const withoutVariables = (text: string, root: string): string =>
  text
    .replace(/\$\{\w+:?-([^{}]*)\}/g, "$1")
    .replace(
      /\$\((?:pwd|git rev-parse --show-toplevel)\)|`(?:pwd|git rev-parse --show-toplevel)`/g,
      root,
    )
    .replace(/\$\{?(?:CLAUDE_PROJECT_DIR|PWD)\}?/g, root);

/** A word of the shell, with what is quoted in it. */
const shellWord = /(?:"[^"]*"|'[^']*'|\\.|[^\s;|&()<>"'\\])+/g;

/**
 * Words that may name files. Quotes may hold a name with spaces or a whole command, and an option its
 * value.
 */
function listNames(text: string): string[] {
  const spaced = [...text.matchAll(shellWord)]
    .map(([word]) => word.replace(/["'\\]/g, ""))
    .filter((word) => word.includes(" "));
  const words = text.replace(/["']/g, "").split(/[\s=:,`;|&()<>]+/);
  return [...words.map((word) => word.replace(/^-\w(?=\.{0,2}\/)/, "")), ...spaced].filter(
    (name) => name !== "",
  );
}

/** Programs, and words of the shell, that run the file after them. */
const interpreter =
  /^(?:.*\/)?(?:(?:ba|da|z|k|fi|c|tc)?sh|source|\.|node|python[\d.]*|ruby|perl|php|lua)$/;

/** Variables with folders in which programs look for code. */
const searchPath =
  /\b(?:(?:PYTHON|NODE_|LUA_|CLASS|GEM_|LD_LIBRARY_)?PATH|RUBYLIB|PERL5LIB|core\.hooks[pP]ath)=(\S+)/g;

const addAll = (paths: readonly string[], { root, files }: ScriptSearch): void => {
  for (const path of paths) if (isBelow(path, root)) files.add(path);
};

/** The path and the links on its way; returns where it leads. */
function addPath(path: string, found: ScriptSearch): string {
  const { links, end } = followInside(path, found);
  addAll([...links, end], found);
  return end;
}

function addFolder(path: string, found: ScriptSearch): void {
  if (!isBelow(path, found.root)) return;
  const { links, end } = followInside(path, found);
  if (found.disk.isFolder(end)) addAll([...links, end], found);
}

/** Links that may follow each other; the kernel follows no more. */
const maxLinks = 40;

/**
 * The links on the way to a path, in the root or outside, and where they lead: whoever points one of
 * them elsewhere decides what runs, as does whoever writes the file at the end.
 */
function followInside(
  path: string,
  { root, disk }: ScriptSearch,
): { links: string[]; end: string } {
  const links: string[] = [];
  const left = path.slice(root.length).split(sep).filter(Boolean);
  let at = root;
  for (let next = left.shift(); next !== undefined; next = left.shift()) {
    const step = resolve(at, next);
    // A missing path has no links below it.
    if (disk.stat(step) === undefined) return { links, end: resolve(step, ...left) };
    const target = links.length < maxLinks ? disk.link(step) : null;
    if (target === null) at = step;
    else {
      links.push(step);
      left.unshift(...target.split(sep).filter(Boolean));
      if (target.startsWith(sep)) at = sep;
    }
  }
  return { links, end: at };
}

const matchRecipes = (program: string): string[] =>
  recipes.flatMap(([programs, names]) => (programs.test(program) ? names.split(" ") : []));

/** The file that a program runs of a folder. */
function addEntry(program: string, folder: string, found: ScriptSearch): void {
  const [, node, python] = /^(?:(node|tsx|ts-node)|(python[\d.]*|py))$/.exec(program) ?? [];
  const name = node ? "index.js" : python ? "__main__.py" : null;
  if (name !== null && holds(found.root, folder) && found.disk.isFolder(folder))
    addPath(join(folder, name), found);
}

/** A file that says what to run, and what the task of it that is named runs. */
function addRecipe(file: string, names: readonly string[], found: ScriptSearch): void {
  const { root, disk, depth } = found;
  const end = addPath(file, found);
  if (!disk.isFile(end) || !isBelow(end, root)) return;
  if (basename(file) === "package.json") {
    addTasks(file, names, found);
    return;
  }
  // Whatever scripts it names may be run by the task.
  const text = attempt(() => readFileSync(file, "utf8").slice(0, maxRecipeChars), "");
  for (const name of new Set(text.split(/[\s"'`;|&(),=@:$<>[\]{}]+/))) {
    const path = resolve(dirname(file), name);
    const isNamed = isScript.test(name) || name.startsWith("./");
    if (!isNamed || found.files.has(path) || !isBelow(path, root) || !disk.isFile(path)) continue;
    found.files.add(path);
    if (/\.(?:mk|make|just)$/.test(name) && depth <= maxDepth)
      addRecipe(path, [], { ...found, depth: depth + 1 });
  }
}

/** The scripts of a package by their names, and its program where the folder itself is run. */
function addTasks(file: string, names: readonly string[], found: ScriptSearch): void {
  const { disk } = found;
  const { scripts, main, module, bin } = disk.manifest(file);
  const at = dirname(file);
  for (const name of ["test", "start", "install", ...names])
    for (const key of [`pre${name}`, name, `post${name}`]) {
      const script = isRecord(scripts) && Object.hasOwn(scripts, key) ? scripts[key] : undefined;
      if (typeof script === "string") addScripts(script.split(/\s+/), { ...found, at });
    }
  if (!names.some((name) => name === "." || resolve(found.at, name) === at)) return;
  for (const path of [main, module, bin]) {
    if (typeof path !== "string" || disk.isFile(addPath(resolve(at, path), found))) continue;
    for (const ending of [".js", ".json", ".node", "/index.js"])
      addPath(resolve(at, path) + ending, found);
  }
}

const isScript =
  /(?:^|\/)(?:s?bin|scripts?|hack|tools?|ci)\/|\.(?:sh|bash|zsh|fish|py|[cm]?[jt]s|rb|pl|php|lua|ps1|mk|make|gradle|kts)$/;

const maxRecipeChars = 200_000;

/** A program of an installed package, and its settings. */
function addInstalled(bin: string, program: string, folder: string, found: ScriptSearch): void {
  const { root, files, disk } = found;
  const { links, end } = followInside(bin, found);
  if (!disk.isFile(end) || !isBelow(end, root)) return;
  const [, installed] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(end) ?? [];
  addAll(links, found);
  files.add(installed === undefined || installed.endsWith("/.bin") ? end : installed);
  for (const ending of configEndings) addPath(join(folder, `${program}.config.${ending}`), found);
}

const isBelow = (path: string, root: string): boolean => holds(root, path) && path !== root;

/** Identifies something that a project asks for, with the content of the scripts that it runs. */
export function hashAsk(value: unknown, words: readonly string[], root: string): string {
  const hasher = new Bun.CryptoHasher("sha256").update(JSON.stringify(value));
  const disk = new Disk();
  for (const script of scriptsRunBy(words, root, disk).toSorted()) {
    const target = disk.link(script);
    if (target !== null) hasher.update(`\0${script.slice(root.length)}\0${target}`);
    for (const file of contentOf(script, disk)) {
      // With its size, so that its end cannot pass for another file.
      hasher.update(`\0${file.slice(root.length)}\0${disk.stat(file)?.size}\0`);
      attempt(() => hashFile(file, hasher), undefined);
    }
  }
  return hasher.digest("hex");
}

/** Of a folder, the files in it; of an installed package, what it says of itself. */
function contentOf(script: string, disk: Disk): string[] {
  const inside = (): string[] =>
    script.includes("/node_modules/") ? ["package.json"] : readdirSync(script).toSorted();
  const paths = disk.isFolder(script)
    ? attempt(inside, []).map((name) => join(script, name))
    : [script];
  return paths.slice(0, maxFiles).filter((path) => disk.isFile(path));
}

/** All of it, however large. */
function hashFile(path: string, hasher: Bun.CryptoHasher): void {
  const file = openSync(path, "r");
  try {
    const chunk = Buffer.alloc(1024 * 1024);
    for (let bytes = readSync(file, chunk); bytes > 0; bytes = readSync(file, chunk))
      hasher.update(chunk.subarray(0, bytes));
  } finally {
    closeSync(file);
  }
}

/** Paths to watch for changes: the scripts, and the folders of those that a command names itself. */
export function watchedScripts(commands: readonly string[], root: string): string[] {
  const disk = new Disk();
  const found = commands.flatMap((command) => {
    const files = scriptsRunBy(command.split(/\s+/), root, disk);
    const beside = files.filter((file) => command.includes(basename(file)) && disk.isFile(file));
    return [...files, ...beside.map(dirname).filter((folder) => isBelow(folder, root))];
  });
  return [...new Set(found)];
}
