/**
 * Folders of the home that build tools need. The rest of the home is hidden. What is written here
 * is only ever downloaded or compiled: programs and settings of tools cannot be changed.
 */

export const writableCaches: readonly string[] = [
  ".bun/install/cache",
  ".cache",
  ".cargo/git",
  ".cargo/registry",
  ".composer/cache",
  ".deno",
  ".gradle/caches",
  ".gradle/daemon",
  ".ivy2/cache",
  ".local/share/pnpm/store",
  ".m2/repository",
  ".npm",
  ".nuget/packages",
  ".pnpm-store",
  ".stack",
  ".yarn/berry",
  "Library/Caches",
  "go/pkg",
];

export const readableTools: readonly string[] = [
  ".asdf",
  ".cache/node",
  ".cache/pre-commit",
  ".bun/bin",
  ".cabal",
  ".cargo/bin",
  ".config/git",
  ".conda",
  ".dotnet",
  ".elan",
  ".fnm",
  ".ghcup",
  ".gitconfig",
  ".gitignore",
  ".juliaup",
  ".local/bin",
  ".local/lib",
  ".local/share/mise",
  ".local/share/pnpm",
  ".local/share/uv",
  ".mise",
  ".npm/_npx",
  ".nvm",
  ".opam",
  ".poetry",
  ".pyenv",
  ".rbenv",
  ".rustup",
  ".rvm",
  ".sdkman",
  ".volta",
  "anaconda3",
  "go/bin",
  "miniconda3",
];

/** In those folders, what may hold a password. */
export const hiddenInCaches: readonly string[] = [
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".composer/auth.json",
  ".gem/credentials",
  ".m2/settings.xml",
  ".npm/_logs",
];
