/**
 * Lines that look like reading, whatever their words become. They run in the read-only sandbox, which
 * keeps them from anything else: this list only spares the user a question about them.
 */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { findRepository } from "../git/git-folders.ts";
import { holds } from "../../tools/workspace.ts";
import type { FoundCommand, FoundCommands } from "../line/every-command.ts";
import { isQuietVerb } from "../git-verbs.ts";
import { isSecret } from "../sensitive.ts";
import { readTool } from "../tool-names.ts";
import type { Situation } from "../verdict.ts";

const lookers = new Set(
  (
    "[ [[ : alias arch awk basename break cat cd cksum cmp column comm continue cut date df diff dirname du echo egrep " +
    "expand export expr false fgrep file find fold gawk git grep head hexdump hostname id jq less let local locale ls " +
    "md5sum nl nproc od paste popd printf pushd pwd read readlink realpath return rev rg sed seq set sha1sum sha256sum " +
    "shasum shift sleep sort stat strings sum tac tail test tr tree true type uname uniq unset wait wc which whoami xargs xxd yq"
  ).split(" "),
);

/** Programs that are asked for their version, their help, or for what is installed. */
const versions =
  /^(?:[a-z][\w+.-]* (?:\+[\w.-]+ )?(?:(?:--version|-version|-V|version)(?: --(?:json|debug|format[= ]json|short|client))*)|(?!(?:npx|bunx|pnpx|uvx|pipx|npm|pnpm|yarn|bun|sh|bash|env|xargs|node|python[\d.]*) )[a-z][\w+.-]* (?:[a-z][\w-]* )*--help|(?:node|npm|pnpm|yarn|python3?|ruby|php|java) -v|(?:npm|pnpm) (?:ls|list)(?: (?:--depth[= ]\d+|--json|-g|--global|[\w@/.-]+))*|bash -n [\w./-]+)$/;

/** Subcommands of git that tell something of files or settings, and change nothing in this form. */
const tells =
  /^(?:--version$|check-ignore|check-attr|var \S+$|config (?:--get|get|--list|list|-l|user\.\w+$)(?!.*(?: -f| --file| --blob))|symbolic-ref (?:-q |--short |--quiet )*\S+$)(?: |$)?/;

/** A variable that is made of itself could double until the memory is full. */
const growing = /\b(\w+)=[^;\s]*\$\{?\1\b/;

/**
 * How the line may run in a sandbox that writes nothing in the workspace, without a question; null: it
 * looks like more than that. "checks": with programs of the workspace and its caches.
 */
export async function looks(
  command: string,
  { commands: all, isWhole, multiplies, inBackground }: FoundCommands,
  now: Situation,
): Promise<"looks" | "checks" | null> {
  if (!(await now.sandbox())) return null;
  const commands = all.filter(({ guessed }) => !guessed);
  if (growing.test(command)) return null;
  if (!isWhole || multiplies || inBackground || commands.length === 0) return null;
  const kinds = commands.map((found) => classify(found, now));
  if (kinds.includes(null)) return null;
  const kind = kinds.includes("checks") ? "checks" : "looks";
  if (!commands.some(({ argv }) => argv[0] === "git")) return kind;
  // All programs of the line see its configuration.
  const repository = await findRepository(now.cwd);
  return repository !== null ? kind : null;
}

function classify(command: FoundCommand, now: Situation): "looks" | "checks" | null {
  const [name = ""] = command.argv;
  const isLooker = name === "" || lookers.has(name) || versions.test(command.argv.join(" "));
  if (isLooker) return isLooking(command, now) ? "looks" : null;
  return isCheck(command.argv, command.inputs) && isHarmless(command, now) ? "checks" : null;
}

function isLooking(command: FoundCommand, now: Situation): boolean {
  const [name = "", ...args] = command.argv;
  if (name === "git" && !isQuietGit(args)) return false;
  if (writesItself.test(command.argv.join(" "))) return false;
  // Where the rest would run, only the shell knows.
  if (/^(?:cd|pushd)$/.test(name) && args.some((word) => /[$`]/.test(word))) return false;
  return isHarmless(command, now);
}

/** It writes nowhere, and names nothing that is hidden or elsewhere. */
function isHarmless(
  { argv, writes, cwd }: FoundCommand,
  { workspace, cwd: start, folders, rules }: Situation,
): boolean {
  const isRefused = rules.refusedPaths(readTool);
  const args = argv.slice(1);
  if (!writes.every((path) => /^(?:\/dev\/(?:null|stdout|stderr)|[12])$/.test(path))) return false;
  const from = resolve(start, cwd);
  const isHere = (path: string): boolean =>
    holds(workspace.root, path) || workspace.added.some((folder) => holds(folder, path));
  if (!isHere(from)) return false;
  // Else it would find nothing where there is something.
  return args.every((word, at) => {
    if (beforePattern.test(args[at - 1] ?? "")) return true;
    const path = word.replace(/^--?[\w-]+=/, "");
    if (path.startsWith("~") || /^\$\{?HOME/.test(path)) return false;
    const full = resolve(from, path);
    if (isRefused?.(full) === true || (isSecret(full, folders) && existsSync(full))) return false;
    if (path.startsWith("/")) return isHere(path) || !topFolder.test(path) || shown.test(path);
    return !/(?:^|\/)\.\.(?:\/|$)/.test(path) || isHere(full);
  });
}

/** Options whose value is not a file. */
const beforePattern = /^-(?:i?name|i?path|i?regex|wholename|e|-regexp|-?i?glob|-(?:in|ex)clude)$/;

/** Anything else that begins with a slash is a pattern. */
const topFolder =
  /^\/(?:$|(?:bin|boot|c|d|dev|etc|home|lib\w*|media|mnt|nix|opt|private|proc|root|run|s?bin|srv|sys|tmp|usr|var|Applications|Library|System|Users|Volumes)(?:\/|$))/;
const shown = /^\/(?:usr|bin|tmp|dev\/null|proc\/(?:cpuinfo|meminfo|version))(?:\/|$)/;

/** They would change files or run programs, were it not for the sandbox: then they should be asked about. */
const writesItself =
  /^(?:sed .*(?<= )(?:-\w*i\S*|--in-place)|(?:find|fd) .*(?<= )-(?:exec|execdir|ok|okdir|delete|fprint\w*|fls|x|X)(?: |$)|g?awk .*(?:\bsystem\s*\(|print[^|]*>\s*")|(?:sort|tree) .*(?<= )(?:-o|--output)|rg .*--pre)/;

/** Git prints a commit for it, or nothing: never an option. Its words are separate here. */
const revision =
  /\$\(git (?:merge-base|rev-parse(?: --(?:short|verify))?)(?: [\w/@^][\w/@^~.-]*)+\)/g;

function isQuietGit(given: readonly string[]): boolean {
  const isPlain = given.every((word) => !/\s/.test(word));
  const args = isPlain ? given.join(" ").replace(revision, "HEAD").split(" ") : given;
  // A value that only the shell knows could be any option.
  if (args.some((word) => /[$`]/.test(word))) return false;
  const rest = [...args];
  while (/^(?:-C|--no-pager|-P)$/.test(rest[0] ?? "")) rest.splice(0, rest[0] === "-C" ? 2 : 1);
  return tells.test(rest.join(" ")) || isQuietVerb(rest);
}

/*
 * Programs that check a project or compute something: tests, linters, compilers that only look. In the
 * sandbox they can write nothing in the workspace and reach nothing, so they need no question; these lists
 * only spare the user a failure. Patterns are of a command, its words joined by spaces.
 */

/** How a tool of a project is started. */
const runner =
  /^(?:(?:npx|bunx|pnpx)(?: --no-install)?|(?:npm|pnpm|yarn|bun|bundle|poetry|uv|pdm|hatch|pipenv|mise)(?: (?:exec|x|run))(?: --)?|yarn|pnpm|time|nice|env|timeout \d+\w?) /;

/** It has no option that writes. */
const tree = /^cargo (?:\+\S+ )?tree(?: |$)/;

const checkers: readonly RegExp[] = [
  /^go (?:test|vet|list|doc|version|env|build (?:\S+ )*(?:\.\/\.\.\.|-o \/(?:dev\/null|tmp\/\S+)))(?: |$)/,
  /^(?:gofmt|goimports|gofumpt|shfmt) -[dls]/,
  /^(?:golangci-lint run|staticcheck|fieldalignment|modernize|deadcode|errcheck|revive)(?: |$)/,
  /^cargo (?:\+\S+ )?(?:check|clippy|test|nextest|metadata|fmt (?:\S+ )*--check)(?: |$)/,
  /^(?:tsc|tsgo|vue-tsc|svelte-check) (?:\S+ )*--noEmit(?: |$)/,
  /^(?:eslint|oxlint|stylelint|biome (?:check|lint|ci)|rubocop|flake8|pylint|mypy|pyright|basedpyright|ty check|ruff check|shellcheck|actionlint|yamllint|hadolint|typos|codespell|markdownlint\S*|svelte-check|knip|madge|depcheck)(?: |$)/,
  /^(?:prettier|black|isort|ruff format|dprint|deno fmt|rustfmt|terraform fmt|swiftformat) (?:\S+ )*(?:--check\S*|-c|-l|check)(?: |$)/,
  /^(?:jest|vitest|mocha|ava|tap|playwright test|cypress run|bun test|deno (?:test|check|lint)|node --test|pytest|py\.test|python[\d.]* -m (?:pytest|unittest|mypy|ruff|flake8|pylint|doctest|json\.tool|compileall)|rspec|phpunit|phpstan|ctest|mix test|zig test|tox|nox)(?: |$)/,
];

/** A task of the project, by a name that says that it checks. */
const task =
  /^(?:npm|pnpm|yarn|bun|deno|mise|make|just|task|rake|composer|invoke|hatch|poetry|pdm|uv|turbo|nx)(?: (?:-s|-C \S+|--(?:silent|prefix|dir|cwd|filter|workspace|if-present)(?:[= ]\S+)?|-w \S+|--filter \S+))*(?: (?:run|task|run-script))?(?: (?:-s|--silent))* (?:test|tests|lint|check|typecheck|type-check|types|tsc|verify|unit|e2e|spec|vet|validate|t)(?:[:_./-][\w:./-]+)?(?: |$)/;

/** A program of a few words that prints something. */
const snippet =
  /^(?:python[\d.]*|node|bun|ruby|perl|php|deno eval)(?: -[BIuEs])* (?:-[ecprn]|-ne|--eval|--print|-$|- )/;

/** With one of these they write or stay, and would only fail. */
const writes =
  /(?:^| )(?:-w|-u|-i|-fix|-c \S+\.test|--?(?:\w+-)*(?:fix|write|update|updateSnapshot|update-snapshots|watch|watchAll|watch-files|ui|serve|overwrite|bless|record)(?:[= ]\S*)?|-coverprofile[= ](?!\/tmp)\S+|-(?:cpu|mem)profile\S*|--(?:coverage|outDir|output-file|output|junitxml)(?:[= ]\S*)?)(?: |$)|:(?:fix|update|watch|write)/;

/** The same of code that is passed along. */
const codeWrites =
  /\b(?:write\w*|append\w*|unlink\w*|rm\w*|mkdir\w*|rename\w*|replace\w*Sync|copy\w*|move|dump|save|spawn\w*|exec\w*|system|popen|subprocess|fetch|urlopen|requests|http\w*|socket|listen|connect)\s*\(|open\s*\([^)]*["'][wax]b?\+?["']|["'](?:node:)?(?:child_process|https?|net)["']/i;

/** `inputs`: what it reads as its program. */
function isCheck(argv: readonly string[], inputs: readonly string[]): boolean {
  let text = argv.join(" ");
  for (let start = runner.exec(text); start; start = runner.exec(text)) {
    if (checkers.some((pattern) => pattern.test(text)) || task.test(text)) break;
    text = text.slice(start[0].length);
  }
  if (tree.test(text)) return true;
  if (snippet.test(text)) return ![text, ...inputs].some((code) => codeWrites.test(code));
  return (checkers.some((pattern) => pattern.test(text)) || task.test(text)) && !writes.test(text);
}
