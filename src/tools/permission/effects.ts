/**
 * Files that other programs run or read settings from by themselves. Whatever begins with a dot is
 * taken for one: the list names what is harmless. Paths are in lower case.
 */

/** Output of tools, and settings that run nothing. */
const harmlessDots = new Set(
  (
    ".gitignore .gitkeep .keep .npmignore .dockerignore .prettierignore .eslintignore .gcloudignore .vercelignore .nojekyll " +
    ".editorconfig .nvmrc .node-version .python-version .ruby-version .ds_store .next .nuxt .output .svelte-kit .turbo " +
    ".cache .parcel-cache .vite .vite-temp .angular .astro .docusaurus .swc .nx .eslintcache .stylelintcache .tsbuildinfo " +
    ".nyc_output .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis .ipynb_checkpoints .tox .nox .eggs " +
    ".dart_tool .stack-work .build .sass-cache .venv .virtualenv .pnpm .package-lock.json .tmp .temp"
  ).split(" "),
);

/** An example of an environment holds no settings. */
const example = /^(?:.*\.)?\.?env\.(?:example|sample|template|dist|defaults?|schema)$/;

const names = new RegExp(
  `^(?:${[
    // Instructions and settings of agents.
    "claude(?:\\.local)?\\.md|agents(?:\\.override)?\\.md|gemini\\.md|copilot-instructions\\.md|opencode\\.jsonc?|crush\\.json",
    // What tools run when a folder is entered or opened.
    "_?n?vimrc|_vimrc|mise(?:\\..+)?\\.toml|bunfig\\.toml|devbox\\.json|gradlew(?:\\.bat)?|mvnw(?:\\.cmd)?|lefthook.*\\.(?:ya?ml|toml|json)",
    "(?:eslint|prettier|stylelint|tailwind)\\.config\\.[cm]?[jt]s|(?:site|user)customize\\.py|.*\\.pth",
    ".*\\.(?:code-workspace|sublime-project|sublime-workspace|desktop|service|timer|socket|plist)",
    // Pipelines.
    "jenkinsfile|azure-pipelines\\.ya?ml|bitbucket-pipelines\\.ya?ml|cloudbuild\\.ya?ml|appveyor\\.ya?ml|netlify\\.toml",
    // Parts of a repository, which need not be called .git.
    "head|commondir|gitdir|packed-refs|config|config\\.worktree",
  ].join("|")})$`,
);

const folders = /(?:^|\/)(?:gradle\/wrapper|launchagents|launchdaemons|nbproject)(?:\/|$)/;

/** Git runs these wherever its hooks are. */
const hook =
  /(?:^|\/)hooks\/(?:applypatch-msg|pre-|post-|prepare-commit-msg|commit-msg|update$|reference-transaction|push-to-checkout|proc-receive|fsmonitor-watchman|sendemail-validate|p4-)/;

/** `way`: from the folder that was opened. */
export function hasEffect(way: string): boolean {
  const parts = way.split("/");
  const name = parts.at(-1) ?? "";
  if (names.test(name) || folders.test(way) || hook.test(way)) return true;
  if (way.endsWith("info/attributes")) return true;
  return parts.some((part) => part.length > 1 && part.startsWith(".") && !isHarmless(part));
}

const isHarmless = (part: string): boolean => harmlessDots.has(part) || example.test(part);

/** Code that was installed: it runs with the next build or test, and nobody reads it. */
export const isInstalled = (way: string): boolean =>
  /(?:^|\/)(?:node_modules|bower_components|site-packages|\.?v?env|\.?virtualenv|vendor\/bundle)\//.test(
    way,
  );
