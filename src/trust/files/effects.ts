/**
 * Files that other programs run, or read settings from, on their own. Every name that
 * begins with a dot counts, except for the harmless ones listed here. Paths are in lower case.
 */

/** Dot files that run nothing and configure nothing that runs. */
const inert = new Set(
  (
    ".gitignore .gitkeep .keep .npmignore .dockerignore .prettierignore .eslintignore .stylelintignore .gcloudignore " +
    ".vercelignore .helmignore .nojekyll .editorconfig .nvmrc .node-version .python-version .ruby-version .ds_store"
  ).split(" "),
);

/** Output of tools that commands write all the time. Edits of it are asked about. */
const output = new Set(
  (
    ".next .nuxt .output .svelte-kit .turbo .cache .parcel-cache .vite .vite-temp .angular .astro .docusaurus .swc .nx " +
    ".eslintcache .stylelintcache .tsbuildinfo .nyc_output .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis " +
    ".ipynb_checkpoints .tox .nox .eggs .dart_tool .stack-work .build .sass-cache .venv .virtualenv .pnpm " +
    ".package-lock.json .tmp .temp"
  ).split(" "),
);

/** An example of an environment holds no settings. */
const example = /^(?:.*\.)?\.?env\.(?:example|sample|template|dist|defaults?|schema)$/;

const script = "[cm]?[jt]s";

const names = new RegExp(
  `^(?:${[
    // Instructions and settings of agents.
    "(?:claude|agents?|gemini|qwen|crush|warp|amp|jules|replit|copilot-instructions)(?:\\.\\w+)?\\.md|(?:opencode|crush|mcp)\\.jsonc?",
    // Run by editors and shells when a folder is entered or opened.
    "_?n?vimrc|_vimrc|_exrc|mise(?:\\..+)?\\.toml|bunfig\\.toml|devbox\\.json|devenv\\.(?:nix|ya?ml)|(?:flake|shell|default|replit)\\.nix|pixi\\.toml",
    "devcontainer\\.json|(?:tasks|launch)\\.vs\\.json|.*\\.(?:code-workspace|sublime-project|sublime-workspace|iml|ipr|iws|pbxproj)",
    "gradlew(?:\\.bat)?|mvnw(?:\\.cmd)?|(?:build|settings|init)\\.gradle(?:\\.kts)?|build\\.rs|rust-toolchain(?:\\.toml)?|rust-project\\.json|build\\.sbt|mix\\.exs",
    // Evaluated by editors as soon as a folder is opened.
    "pylintrc|mypy\\.ini|phpstan\\.neon(?:\\.dist)?|tslint\\.json|omnisharp\\.json|package\\.swift|cmake(?:user)?presets\\.json|directory\\.(?:build|packages)\\.(?:props|targets|rsp)|.*\\.(?:cs|fs|vb)proj|setup\\.hs",
    "rust-analyzer\\.toml|hie\\.yaml|build\\.zig|rebar\\.config(?:\\.script)?|gemfile|.*\\.(?:gemspec|nimble)|dub\\.(?:json|sdl)|nx\\.json",
    `(?:eslint|prettier|stylelint|tailwind|postcss|babel|svelte|astro|vitest|jest|playwright|graphql|uno|unocss|windi|commitlint|lint-staged|yarn|simple-git-hooks)\\.config\\.(?:${script}|json|ya?ml)`,
    "lefthook.*\\.(?:ya?ml|toml|json)|prek\\.toml|captainhook\\.json|grumphp\\.ya?ml",
    // Loaded by name by interpreters and systems.
    "(?:site|user)customize\\.py|.*\\.pth|.*\\.(?:desktop|service|timer|socket|plist|lnk)|autorun\\.inf|(?:docker-)?compose\\.override\\.ya?ml",
    // Pipelines and what deploys.
    "jenkinsfile.*|(?:azure|bitbucket)-pipelines.*\\.ya?ml|(?:cloudbuild|appveyor|buildspec|codemagic|render|amplify|heroku|bitrise|wercker|gitlab-ci|jitpack|action)\\.ya?ml",
    "(?:netlify|fly|railway)\\.toml|(?:vercel|railway|renovate)\\.json5?|procfile",
    // Parts of a repository, which need not be called .git.
    "head|commondir|gitdir|packed-refs|config|config\\.worktree",
  ].join("|")})$`,
);

const folders =
  /(?:^|\/)(?:gradle\/wrapper|tools\/bazel$|launchagents|launchdaemons|nbproject|[^/]+\.xcodeproj|[^/]+\.xcworkspace)(?:\/|$)/;

/** Git runs these wherever `core.hooksPath` leads. */
const hook =
  /(?:^|\/)(?:(?:applypatch-msg|pre-(?:applypatch|commit|merge-commit|push|rebase|receive|auto-gc)|post-(?:applypatch|commit|checkout|merge|rewrite|receive|update|index-change)|prepare-commit-msg|commit-msg|reference-transaction|push-to-checkout|proc-receive|fsmonitor-watchman|sendemail-validate)$|(?:\.?git[-_]?)?hooks\/(?:update$|p4-|pre-|post-))/;

/** `way`: from the folder that was opened. */
export function hasEffect(way: string): boolean {
  const name = way.split("/").at(-1) ?? "";
  if (names.test(name) || folders.test(way) || hook.test(way)) return true;
  if (way.endsWith("info/attributes")) return true;
  return countDots(way).some((part) => !output.has(part));
}

/** Files that installers write. */
export const isInstalled = (way: string): boolean =>
  /(?:^|\/)(?:node_modules|bower_components|site-packages|\.?v?env|\.?virtualenv|vendor\/bundle)\//.test(
    way,
  );

/** Installed or generated code: runs with the next build or test, unreviewed. */
export const isUnread = (way: string): boolean =>
  isInstalled(way) || made.test(way) || countDots(way).some((part) => output.has(part));

const made =
  /(?:^|\/)(?:jspm_packages|dist-packages|__pycache__|__pypackages__|pods|vendor)\/|^(?:[^/]+\/)?target\/|\/target\/(?:debug|release|(?:test-)?classes|generated-[^/]+)\//;

/** Parts of the path that begin with a dot and may have an effect. */
const countDots = (way: string): string[] =>
  way
    .split("/")
    .filter(
      (part) => part.length > 1 && part.startsWith(".") && !inert.has(part) && !example.test(part),
    );
