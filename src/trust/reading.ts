/**
 * Commands that appear read-only. In the sandbox they cannot write, so name lists suffice: they only save the
 * user a question and the model a failure.
 */

import type { SimpleCommand } from "./line/line.ts";
import { operandsOf, programName, readGit } from "./line/words.ts";
import { isLoopback } from "./hosts.ts";

const readers = new Set(
  (
    "[ [[ : alias arch awk basename break builtin cat cd cksum cmp column comm command continue cut date declare df diff " +
    "dirname du echo egrep env exit expand export expr false fgrep file find fold free gawk grep hash head hexdump hostname " +
    "id jobs jq less let local locale ls lsof md5sum nice nl nohup nproc od paste pgrep popd printenv printf ps pushd pwd " +
    "read readlink realpath return rev rg sed seq set setsid sha1sum sha256sum shasum shift sleep sort stat stdbuf strings " +
    "sum tac tail test time timeout tput tr tree true type uname uniq unset uptime wait wc which whoami xargs xxd yq"
  ).split(" "),
);

/** Commands that would change files: ask instead of letting the sandbox fail them. */
const writesItself =
  /^(?:sed .*(?<= )(?:-\w*i\S*|--in-place)|(?:find|fd) .*(?<= )-(?:delete|fprint\w*|fls)(?: |$)|g?awk .*(?:\bsystem\s*\(|print[^|]*>\s*")|(?:sort|tree) .*(?<= )(?:-o|--output))/s;

export const gitReading =
  /^(?:status|log|show|diff|blame|grep|ls-files|ls-tree|rev-parse|rev-list|describe|shortlog|merge-base|name-rev|show-ref|for-each-ref|cat-file|count-objects|version|var(?= [A-Z])|check-ignore|check-attr|whatchanged|range-diff|cherry|diff-tree|diff-index|diff-files|reflog(?: show)?(?= -|$)|stash (?:list|show)|worktree list|remote(?: -v)?(?=$)|remote get-url|config (?:--get|get|--list|list|-l)|branch(?= -[avr]| --(?:list|show-current|all|contains|merged|no-merged|sort|format)|$)|tag(?= -[ln]| --(?:list|contains|sort)|$)|symbolic-ref (?:-q |--short |--quiet )*\S+$|submodule(?: status)?$)(?: |$)/;

/** How a tool of a project is started. */
const runner =
  /^(?:(?:npx|bunx|pnpx)(?: --no-install)?|(?:npm|pnpm|yarn|bun|bundle|poetry|uv|pdm|hatch|pipenv|mise)(?: (?:exec|x|run))?(?: --)?) /;

/** Tests, linters, and compilers in check mode. */
const checkers: readonly RegExp[] = [
  /^go (?:test|vet|list|doc|version|env|build (?:\S+ )*(?:\.\/\S*\.\.\.|-o \/dev\/null))(?: |$)/,
  /^cargo (?:\+\S+ )?(?:check|clippy|test|nextest|metadata|tree|fmt (?:\S+ )*--check)(?: |$)/,
  /^(?:tsc|tsgo|vue-tsc) (?:\S+ )*--noEmit(?: |$)/,
  /^(?:golangci-lint run|eslint|oxlint|biome (?:check|lint|ci)|rubocop|flake8|pylint|mypy|pyright|ruff check|shellcheck)(?: |$)/,
  /^(?:prettier|black|ruff format|gofmt|rustfmt) (?:\S+ )*(?:--check\S*|-[cdl])(?: |$)/,
  /^(?:jest|vitest|mocha|bun test|deno (?:test|check|lint)|node --test|pytest|python[\d.]* -m (?:pytest|unittest|mypy|ruff)|rspec|ctest)(?: |$)/,
  /^(?:npm|pnpm|yarn|bun|mise|make|just|task|turbo|nx)(?: (?:-s|-C \S+|--(?:silent|prefix|dir|cwd|filter|workspace)(?:[= ]\S+)?|-w \S+))*(?: run)?(?: (?:-s|--silent))* (?:test|tests|lint|check|typecheck|type-check|tsc|verify|t)(?:[:_./-][\w:./-]+)?(?: |$)/,
];

/** Queries for a version, help or installed packages. */
const versions =
  /^(?:(?!(?:npx|bunx|pnpx|uvx|sh|bash|env|xargs) )[a-z][\w.+-]* (?:\+[\w.-]+ )?(?:[a-z][\w-]* )*(?:--version|-V|version|--help)(?: --\S+)*|(?:node|npm|ruby|php|java|python3?) -v|(?:npm|pnpm) (?:ls|list)(?: .*)?|bash -n \S+)$/;

/** Options that make these programs write or keep running, which would fail. */
const checkWrites =
  /(?:^| )(?:-w|-u|-i|-fix|--?(?:\w+-)*(?:fix|write|update|updateSnapshot|update-snapshots|watch|watchAll|ui|serve|bless|record)(?:[= ](?!false)\S*)?|-coverprofile[= ]\S+|--(?:coverage|outDir|output-file|output|junitxml)(?:[= ]\S*)?)(?: |$)|:(?:fix|update|watch|write)/;

/**
 * "prints": only reads files, however the shell expands its words. "checks": runs workspace programs in check
 * mode. Null: may do more.
 */
export function readingKind(command: SimpleCommand): "prints" | "checks" | null {
  const { argv, writes } = command;
  if (!writes.every((path) => /^\/dev\/(?:null|stdout|stderr)$/.test(path))) return null;
  const name = programName(argv[0] ?? "");
  const text = [name, ...argv.slice(1)].join(" ");
  if (argv.length === 0) return "prints";
  if (name === "git") return readsGit(argv.slice(1)) ? "prints" : null;
  if (readers.has(name) && /^(?:[^/]+$|\/(?:usr\/)?bin\/)/.test(argv[0] ?? ""))
    return writesItself.test(text) || /^(?:cd|pushd) .*[$`]/.test(text) ? null : "prints";
  if (/^(?:curl|wget|nc)$/.test(name))
    return reachesOnlyItself(name, argv.slice(1)) ? "prints" : null;
  return versions.test(text) || isCheck(text) ? "checks" : null;
}

export const reads = (command: SimpleCommand): boolean => readingKind(command) !== null;

/** Options that make a reading program write or run another program. */
const opening =
  /^(?:-delete|-exec(?:dir)?|-ok(?:dir)?|-fprint\w*|-fls|-o|--output\S*|--ext-diff|--textconv|--no-index|-[achHiIlLnoEFGPpqrvwWz]*O\S+|--open-files\S*|-i|-[a-z]*i|--in-place\S*|--pre\S*|-P)$/;

/** Options beyond reading, per program. */
const exceeding =
  /^(?:sort .*--compress|uniq \S+ \S+|date .*(?<= )-s|sed .*(?:[\d;{/\s$!]|^sed -n )[wWe] |file .*(?<= )-C|(?:less|man) .*(?<= )[+-]\S*[!P]|git config .*--file|rg .*--pre)/s;

/** A rule such as "git diff:*" or "find:*" covers only printing forms. */
export const exceedsReading = ({ argv }: SimpleCommand): boolean => {
  const name = programName(argv[0] ?? "");
  if (exceeding.test([name, ...argv.slice(1)].join(" "))) return true;
  const isReader = name === "git" ? gitReading.test(argv.slice(1).join(" ")) : readers.has(name);
  return isReader && !/grep$|^rg$/.test(name) && argv.some((word) => opening.test(word));
};

function readsGit(words: readonly string[]): boolean {
  const { verb, args } = readGit(words);
  return (
    gitReading.test([verb, ...args].join(" ")) && !args.some((arg) => arg.startsWith("--output"))
  );
}

function isCheck(text: string): boolean {
  const isFound = (of: string): boolean => checkers.some((pattern) => pattern.test(of));
  let checked = text;
  for (let start = runner.exec(checked); start && !isFound(checked); start = runner.exec(checked))
    checked = checked.slice(start[0].length);
  return isFound(checked) && !checkWrites.test(checked);
}

/** A server of the session: other commands are in the same sandbox. */
function reachesOnlyItself(name: string, args: readonly string[]): boolean {
  if (name === "nc") return operandsOf(args).slice(0, 1).every(isLoopback);
  const saves = args.some((arg) =>
    /^(?:-\w*[oOT]|--(?:output|remote-name|upload-file)\S*)$/.test(arg),
  );
  const urls = args
    .filter((arg) => /^(?:https?:\/\/|localhost|127\.)/i.test(arg))
    .map((arg) => URL.parse(/^https?:/i.test(arg) ? arg : `http://${arg}`)?.hostname ?? "");
  return (
    (!saves || args.includes("/dev/null")) &&
    urls.length > 0 &&
    urls.every((host) => isLoopback(host.replace(/^\[|\]$/g, "")))
  );
}
