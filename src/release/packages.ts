/** The packages of a release: one for each system, and the one with the launcher that people install. */

import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import manifest from "../../package.json";
import { bundleLibrary, repositoryRoot, runCommand, type ReleaseTarget } from "./compile.ts";
import { writeTypes } from "./types.ts";

const { name, version, description, license, repository, homepage, bugs } = manifest;

const shared = { version, license, repository, homepage, bugs };

/** Entry points of the library, and their declarations. */
const library = {
  ".": "headless/library/agent.d.ts",
  "./context": "headless/library/context.d.ts",
};

const packageName = (target: ReleaseTarget): string => `${name}-${target.name}`;

/**
 * Makes the package of one system in `folder`, from a folder that holds its program and ripgrep. A
 * package manager installs it only where it can run.
 */
export function makeSystemPackage(target: ReleaseTarget, programs: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  cpSync(programs, join(folder, "bin"), { recursive: true });
  copyFileSync(join(repositoryRoot, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "LICENSES.md"), collectLicenses());
  writeManifest(folder, {
    name: packageName(target),
    ...shared,
    description: `${name} for ${target.name}`,
    os: [target.os],
    cpu: [target.cpu],
    ...(target.libc ? { libc: [target.libc] } : {}),
    preferUnplugged: true,
    files: ["bin", "LICENSES.md"],
  });
}

/**
 * Makes the package that people install: a launcher that needs only Node, the builds as optional dependencies, and
 * the library for programs that run on Bun.
 */
export async function makeMainPackage(
  targets: readonly ReleaseTarget[],
  folder: string,
): Promise<void> {
  mkdirSync(join(folder, "bin"), { recursive: true });
  // With this ending every version of Node loads it as CommonJS, although the package has ES modules.
  const launcher = `bin/${name}.cjs`;
  copyFileSync(join(import.meta.dir, "launcher.cjs"), join(folder, launcher));
  chmodSync(join(folder, launcher), 0o755);
  for (const file of ["README.md", "LICENSE"])
    copyFileSync(join(repositoryRoot, file), join(folder, file));
  copyFileSync(join(repositoryRoot, "src/CHANGELOG.md"), join(folder, "CHANGELOG.md"));
  const types = join(folder, "lib/types");
  await Promise.all([
    bundleLibrary(join(folder, "lib")),
    writeTypes(Object.values(library), types),
  ]);
  writeManifest(folder, {
    name,
    ...shared,
    description,
    type: "module",
    keywords: ["agent", "ai", "claude", "cli", "terminal"],
    bin: { [name]: launcher },
    exports: {
      ...Object.fromEntries(
        Object.entries(library).map(([entry, declarations]) => {
          const module = `./lib/${basename(declarations, ".d.ts")}.js`;
          return [entry, { types: `./lib/types/${declarations}`, default: module }];
        }),
      ),
      "./package.json": "./package.json",
    },
    files: ["bin", "lib", "CHANGELOG.md"],
    optionalDependencies: Object.fromEntries(
      targets.map((target) => [packageName(target), version]),
    ),
  });
}

const writeManifest = (folder: string, content: object): void =>
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(content, null, 2)}\n`);

/** Packs a package and returns the path of its tarball in `destination`. */
export async function packPackage(folder: string, destination: string): Promise<string> {
  const args = ["pack", "--silent", "--ignore-scripts", `--pack-destination=${destination}`];
  return join(destination, (await runCommand("npm", args, folder)).trim());
}

/** The licenses of all packages that are compiled into the program, as those licenses demand. */
function collectLicenses(): string {
  const modules = join(repositoryRoot, "node_modules");
  /** Packages by the text of their license. */
  const texts = new Map<string, string[]>();
  const seen = new Set<string>();
  const visit = (pack: string): void => {
    const folder = join(modules, pack);
    if (seen.has(pack) || !existsSync(join(folder, "package.json"))) return;
    seen.add(pack);
    const info = packageSchema.parse(
      JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
    );
    const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text = file ? readFileSync(join(folder, file), "utf8").trim() : info.license;
    texts.set(text, [...(texts.get(text) ?? []), `${pack} ${info.version}`]);
    for (const name of Object.keys(info.dependencies)) visit(name);
  };
  const { dependencies, peerDependencies } = manifest;
  for (const pack of Object.keys({ ...dependencies, ...peerDependencies })) visit(pack);
  const sections = [...texts].map(([text, packs]) => `## ${packs.join(", ")}\n\n${text}\n`);
  return `# Licenses of what is in this program\n\n${sections.join("\n")}`;
}

const packageSchema = z.looseObject({
  version: z.string().catch(""),
  license: z.string().catch(""),
  dependencies: z.record(z.string(), z.string()).catch({}),
});

/**
 * The section of a version in the changelog, as Markdown; of a version that is being prepared,
 * "Unreleased". Throws when there is neither.
 */
export function changelogNotes(wanted: string, changelog: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const find = (title: string): string | undefined =>
    sections.find((section) => section.split(/[\s\n]/, 1)[0] === title);
  const section = find(wanted) ?? find("Unreleased");
  if (section === undefined) throw new Error(`The changelog has no section ${wanted}.`);
  return `## ${section.trim()}\n`;
}
