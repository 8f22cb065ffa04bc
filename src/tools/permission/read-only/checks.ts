/**
 * Programs that check a project or compute something: tests, linters, compilers that only look. In the
 * sandbox they can write nothing in the workspace and reach nothing, so they need no question; this list
 * only spares the user a failure. Patterns are of a command, its words joined by spaces.
 */

/** How a tool of a project is started. */
const runner =
  /^(?:(?:npx|bunx|pnpx)(?: --no-install)?|(?:npm|pnpm|yarn|bun|bundle|poetry|uv|pdm|hatch|pipenv|mise)(?: (?:exec|x|run))(?: --)?|yarn|pnpm|time|nice|env|timeout \d+\w?) /;

const checkers: readonly RegExp[] = [
  /^go (?:test|vet|list|doc|version|env|build (?:\S+ )*(?:\.\/\.\.\.|-o \/(?:dev\/null|tmp\/\S+)))(?: |$)/,
  /^(?:gofmt|goimports|gofumpt|shfmt) -[dls]/,
  /^(?:golangci-lint run|staticcheck|fieldalignment|modernize|deadcode|errcheck|revive)(?: |$)/,
  /^cargo (?:\+\S+ )?(?:check|clippy|test|nextest|tree|metadata|fmt (?:\S+ )*--check)(?: |$)/,
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
export function isCheck(argv: readonly string[], inputs: readonly string[]): boolean {
  let text = argv.join(" ");
  for (let start = runner.exec(text); start; start = runner.exec(text)) {
    if (checkers.some((pattern) => pattern.test(text)) || task.test(text)) break;
    text = text.slice(start[0].length);
  }
  if (snippet.test(text)) return ![text, ...inputs].some((code) => codeWrites.test(code));
  return (checkers.some((pattern) => pattern.test(text)) || task.test(text)) && !writes.test(text);
}
