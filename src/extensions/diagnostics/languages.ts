/** Languages, their servers, and which of them are installed. */

import { delimiter, extname, join } from "node:path";

export type Language = {
  /** The protocol's names, by the suffix of files. */
  ids: Readonly<Record<string, string>>;
  /** Files of the folder that a server is started in: the outermost one that has one. */
  markers: readonly string[];
  /** In the order of preference. */
  programs: readonly string[];
  args?: readonly string[];
  /** Reports do not say which version of a file they are about. */
  unversioned?: true;
};

const languages: readonly Language[] = [
  {
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
    programs: ["typescript-language-server"],
    args: ["--stdio"],
    unversioned: true,
  },
  {
    ids: { ".py": "python", ".pyi": "python" },
    markers: ["pyrightconfig.json", "pyproject.toml", "setup.py", "requirements.txt"],
    programs: ["pyright-langserver", "basedpyright-langserver"],
    args: ["--stdio"],
  },
  {
    ids: { ".go": "go" },
    markers: ["go.work", "go.mod"],
    programs: ["gopls"],
  },
  {
    ids: { ".rs": "rust" },
    markers: ["Cargo.toml"],
    programs: ["rust-analyzer"],
  },
];

export const findLanguage = (path: string): Language | null =>
  languages.find(({ ids }) => Object.hasOwn(ids, extname(path))) ?? null;

/**
 * Looks for a program of the language in `node_modules/.bin` of the folders, the innermost first,
 * and then on the PATH. Runs nothing.
 */
export function findProgram({ programs }: Language, PATH: string, folders: readonly string[]) {
  const bins = folders.toReversed().map((folder) => join(folder, "node_modules/.bin"));
  const places = [...bins, PATH].join(delimiter);
  for (const name of programs) {
    const path = Bun.which(name, { PATH: places });
    if (path) return { name, path };
  }
  return null;
}
