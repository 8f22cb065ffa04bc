/** Languages, their servers, and which of them are installed. */

import { existsSync } from "node:fs";
import { delimiter, extname, join } from "node:path";

type ServerCommand = {
  program: string;
  args: readonly string[];
  /** Its reports do not say which version of a file they are about. */
  unversioned?: boolean;
};

export type Language = {
  name: string;
  /** The protocol's names, by the suffix of files. */
  ids: Readonly<Record<string, string>>;
  /** Files of the folder that a server is started in: the outermost one that has one. */
  markers: readonly string[];
  /** In the order of preference. */
  commands: readonly ServerCommand[];
};

export const languages: readonly Language[] = [
  {
    name: "TypeScript",
    ids: {
      ".ts": "typescript",
      ".mts": "typescript",
      ".cts": "typescript",
      ".tsx": "typescriptreact",
      ".js": "javascript",
      ".mjs": "javascript",
      ".cjs": "javascript",
      ".jsx": "javascriptreact",
    },
    markers: ["tsconfig.json", "jsconfig.json", "package.json"],
    commands: [{ program: "typescript-language-server", args: ["--stdio"], unversioned: true }],
  },
  {
    name: "Python",
    ids: { ".py": "python", ".pyi": "python" },
    markers: ["pyrightconfig.json", "pyproject.toml", "setup.py", "requirements.txt"],
    commands: [
      { program: "pyright-langserver", args: ["--stdio"] },
      { program: "basedpyright-langserver", args: ["--stdio"] },
    ],
  },
  {
    name: "Go",
    ids: { ".go": "go" },
    markers: ["go.work", "go.mod"],
    commands: [{ program: "gopls", args: [] }],
  },
  {
    name: "Rust",
    ids: { ".rs": "rust" },
    markers: ["Cargo.toml"],
    commands: [{ program: "rust-analyzer", args: [] }],
  },
];

export const findLanguage = (path: string): Language | null =>
  languages.find(({ ids }) => Object.hasOwn(ids, extname(path))) ?? null;

/** A language server of this machine or of the project. */
export type FoundServer = ServerCommand & { path: string };

/**
 * Looks for a program of the language in `node_modules/.bin` of the folders, the innermost first,
 * and then on the PATH. Runs nothing.
 */
export function findServer(
  { commands }: Language,
  { PATH, folders }: { PATH: string; folders: readonly string[] },
): FoundServer | null {
  const bins = folders.toReversed().map((folder) => join(folder, "node_modules/.bin"));
  for (const command of commands) {
    const path = Bun.which(command.program, {
      PATH: [...bins.filter(existsSync), PATH].join(delimiter),
    });
    if (path) return { ...command, path };
  }
  return null;
}
