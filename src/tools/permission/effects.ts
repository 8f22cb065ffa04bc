/** Files that other programs run or read settings from automatically. Paths are in lower case. */

const names = new RegExp(
  `^(?:${[
    "\\.(?:bash|zsh|ksh|csh|tcsh|fish).*|\\.(?:profile|login|logout|z(?:profile|shenv|login|logout)|inputrc|xprofile|xinitrc|xsession.*)",
    "\\.(?:exrc|n?vimrc|lvimrc|gvimrc|ideavimrc|gdbinit|lldbinit|emacs|dir-locals\\.el|tmux\\.conf|screenrc|irbrc|pryrc|psqlrc|sqliterc|rprofile|pdbrc|pythonrc|curlrc|wgetrc)",
    "\\.git(?:config|modules|attributes)|head|commondir|gitdir|packed-refs|config|config\\.worktree",
    "\\.mcp\\.json|\\.devcontainer\\.json|\\.envrc|\\.?mise\\.toml|bunfig\\.toml|\\.yarnrc(?:\\.yml)?|\\.pnpmfile\\.c?js|\\.pnp\\..*",
    "\\.pre-commit-config\\.ya?ml|\\.?lefthook.*\\.(?:ya?ml|toml|json)|\\.lintstagedrc.*|\\.overcommit\\.yml|\\.huskyrc.*",
    "\\.gitlab-ci\\.ya?ml|jenkinsfile|azure-pipelines\\.ya?ml|\\.travis\\.ya?ml|bitbucket-pipelines\\.ya?ml|\\.drone\\.ya?ml|\\.woodpecker\\.ya?ml|\\.cirrus\\.yml|cloudbuild\\.ya?ml|appveyor\\.ya?ml",
    ".*\\.code-workspace|.*\\.sublime-project|.*\\.desktop|.*\\.service|.*\\.pth|(?:site|user)customize\\.py",
  ].join("|")})$`,
);

/** Folders of these names, at any depth, with everything in them. */
const folders = new RegExp(
  `(?:^|/)(?:${[
    "\\.git|\\.husky|\\.githooks|\\.vscode|\\.idea|\\.fleet|\\.zed|\\.devcontainer|\\.direnv",
    // In a worktree, files are what they are in the repository.
    "\\.(?:mini-)?claude(?!/worktrees/[^/]+/)|\\.codex|\\.cursor|\\.gemini|\\.windsurf|\\.continue|\\.agents",
    "\\.github/(?:workflows|actions)|\\.gitea/workflows|\\.forgejo/workflows|\\.circleci|\\.buildkite|\\.woodpecker|\\.teamcity",
    "node_modules/\\.bin|(?:\\.?v?env|\\.?virtualenv)/(?:bin|scripts)|\\.cargo|\\.mvn|gradle/wrapper|\\.yarn/(?:releases|plugins)",
    "launchagents|launchdaemons",
  ].join("|")})(?:/|$)`,
);

/** Git runs these wherever its hooks are. */
const hook =
  /(?:^|\/)hooks\/(?:applypatch-msg|pre-|post-|prepare-commit-msg|commit-msg|update$|reference-transaction|push-to-checkout|proc-receive|fsmonitor-watchman|sendemail-validate|p4-)/;

export function hasEffect(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return (
    names.test(name) || folders.test(path) || hook.test(path) || path.endsWith("/info/attributes")
  );
}
