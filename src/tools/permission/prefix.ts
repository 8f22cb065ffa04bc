/** What "yes for this session" may stand for: the beginning of a command, if that says what it does. */

import type { SimpleCommand } from "./command-line.ts";

/** Programs whose first argument says what they do, and the arguments that say nothing yet. */
const withVerbs = new Map<string, RegExp>([
  ["git", /^(?:config|filter-branch|filter-repo|submodule|bisect|difftool|mergetool)$/],
  ["npm", /^(?:exec|x|explore|config|set)$/],
  ["pnpm", /^(?:exec|dlx|config)$/],
  ["yarn", /^(?:exec|dlx|node|config)$/],
  ["bun", /^(?:x|exec|repl)$|[./]/],
  ["deno", /^(?:eval|repl|run)$/],
  ["cargo", /^(?:install|config)$/],
  ["go", /^(?:env|generate)$/],
  ["docker", /^(?:run|exec|config|context)$/],
  ["make", /^$/],
  ["just", /^$/],
  ["gradle", /^$/],
  ["mvn", /^$/],
  ["dotnet", /^exec$/],
  ["pip", /^config$/],
  ["uv", /^(?:run|x)$/],
  ["poetry", /^(?:run|shell|config)$/],
  ["gh", /^(?:api|alias|extension|config|auth)$/],
]);

const withScripts = new Map<string, string>([
  ["npm", "run"],
  ["pnpm", "run"],
  ["yarn", "run"],
  ["bun", "run"],
]);

const wholeNames = new Set(
  "tsc pytest jest vitest mocha eslint oxlint biome prettier ruff mypy black isort flake8 rustfmt gofmt clippy-driver ninja cmake javac gcc g++ clang cc rustc phpunit rspec rubocop shellcheck".split(
    " ",
  ),
);

const verb = /^[a-z][\w:.-]*$/i;

/** Null: only the exact line can be allowed, because the beginning would allow too much. */
export function prefixOf({ words, writes }: SimpleCommand): string | null {
  const [first, second, third] = words;
  if (!first || writes.length > 0 || first.glob || first.tilde) return null;
  if (wholeNames.has(first.text)) return first.text;
  const unsaying = withVerbs.get(first.text);
  if (!unsaying || !second || !verb.test(second.text) || second.glob) return null;
  if (unsaying.test(second.text)) return null;
  if (withScripts.get(first.text) !== second.text) return `${first.text} ${second.text}`;
  if (!third || !verb.test(third.text) || third.glob || /\.\w+$/.test(third.text)) return null;
  return `${first.text} ${second.text} ${third.text}`;
}
