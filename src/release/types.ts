/** Type declarations of what other programs import, for the package that is published. */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { repositoryRoot, runCommand } from "./compile.ts";

const modules = join(repositoryRoot, "node_modules");

/** Imports of a declaration, but not those in the examples of its comments. */
const imported = /(^(?:import|export)\s[^;"]*?from\s+|\bimport\()"([^"]+)"/gm;

/**
 * Writes into `folder` our declarations that some modules of `src` reach, and those of zod, which the
 * types of our data are made of, so that a program needs no other package to be checked.
 */
export async function writeTypes(entries: readonly string[], folder: string): Promise<void> {
  const all = mkdtempSync(join(tmpdir(), "types-"));
  // Beside the packages, so that the compiler finds theirs.
  const config = join(modules, `.types-${process.pid}.json`);
  try {
    const files = entries.map((entry) =>
      join(repositoryRoot, "src", entry.replace(".d.ts", ".ts")),
    );
    writeFileSync(config, JSON.stringify({ extends: "../tsconfig.json", include: [], files }));
    // `bun run lint` checks the types.
    const emit = ["--noCheck", "--noEmit", "false", "--emitDeclarationOnly", "--declaration"];
    const tsc = [join(modules, "typescript/bin/tsc"), "-p", config, ...emit, "--outDir", all];
    await runCommand(process.execPath, [...tsc, "--rootDir", repositoryRoot], repositoryRoot);
    const seen = new Set<string>();
    const copy = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const to = join(folder, relative(join(all, "src"), file));
      const zod = relative(dirname(to), join(folder, "zod/index.js"));
      const text = readFileSync(file, "utf8").replace(
        imported,
        (_, before: string, name: string) => {
          if (name === "zod") return `${before}"${zod.startsWith(".") ? zod : `./${zod}`}"`;
          if (!name.startsWith(".")) throw new Error(`${file} needs the types of ${name}.`);
          copy(resolve(dirname(file), name.replace(/\.tsx?$/, ".d.ts")));
          return `${before}"${name.replace(/\.tsx?$/, ".js")}"`;
        },
      );
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, text);
    };
    for (const entry of entries) copy(join(all, "src", entry));
  } finally {
    rmSync(all, { recursive: true, force: true });
    rmSync(config, { force: true });
  }
  for (const part of ["index.d.ts", "LICENSE", "v4/classic", "v4/core", "v4/locales"])
    cpSync(join(modules, "zod", part), join(folder, "zod", part), {
      recursive: true,
      filter: (path) => !/\.c?js$|\.cts$/.test(path),
    });
}
