/**
 * Instructions of the user and of the opened project: AGENTS.md and CLAUDE.md, with what they import, and
 * rules in `.claude/rules`, for the whole project or only for files of some paths.
 */

import { lstat, realpath } from "node:fs/promises";
import { dirname, join, resolve, relative } from "node:path";
import type { Environment } from "../../base/environment.ts";
import type { Flags } from "../../config/flags.ts";
import { type Paths, realHome } from "../../config/paths.ts";
import { findFilePath } from "../../protocol/block.ts";
import { contextFact } from "../../protocol/context-fact.ts";
import type { ContextFact, Entry, Fact } from "../../protocol/entry.ts";
import { foldersBetween, holds } from "../../tools/workspace.ts";
import type { HookRegistry } from "../hooks/registry.ts";
import { readFrontMatter, markdownBelow } from "../markdown-file.ts";
import { readMemory } from "./memory.ts";
import { projectFile, readStart, type TrustedProject } from "../../trust/project/project.ts";

const instructionNames = [
  "AGENTS.md",
  "CLAUDE.md",
  ".claude/CLAUDE.md",
  "CLAUDE.local.md",
] as const;

/** Limit on the part of one file that the model is shown, in bytes. */
const maxFileBytes = 40_000;

/** How far imports of imports are followed. */
const maxDepth = 5;

export type Instructions = {
  facts: ContextFact[];
  /** Imports that were not allowed. */
  omitted: string[];
};

/** Where instructions are looked for, and how the user is asked about a file outside the project. */
type InstructionSources = {
  /** The user's own files, which may import any file. */
  own: readonly string[];
  /** Folders with the user's own rules. */
  ownRules?: readonly string[];
  /** Null when its files are not trusted. */
  project: TrustedProject | null;
  home: string;
  permit?: ((path: string) => Promise<boolean>) | undefined;
};

type Accepts = (realPath: string) => boolean;

/**
 * The user's own instructions, then those of the project from its root down to the opened folder, each
 * followed by the files that it imports.
 */
export async function findInstructions(sources: InstructionSources): Promise<Instructions> {
  const { own, project } = sources;
  const reader = new InstructionReader(sources);
  for (const file of own) await reader.add(file, () => true);
  if (project) {
    const accepts = await acceptable(own, project);
    for (const file of instructionFiles(project)) await reader.add(file, accepts);
  }
  for (const { file, accepts, matches } of await findRules(sources.ownRules ?? [], project))
    if (!matches) await reader.add(file, accepts, { isRule: true });
  return reader.found;
}

/** Rules that hold for files such as this one. */
async function rulesAbout(
  path: string,
  rules: readonly InstructionRule[],
  project: TrustedProject,
): Promise<ContextFact[]> {
  const reader = new InstructionReader({ own: [], project, home: project.homes.home });
  for (const { file, accepts, matches } of rules)
    if (matches?.(path)) await reader.add(file, accepts, { isRule: true });
  return reader.found.facts;
}

/** Instructions of the folders below the opened one, down to the folder of `path`. */
async function instructionsBelow(project: TrustedProject, path: string): Promise<ContextFact[]> {
  const reader = new InstructionReader({ own: [], project, home: project.homes.home });
  if (!holds(project.cwd, path)) return [];
  const folders = foldersBetween(project.cwd, dirname(path)).slice(1);
  for (const folder of folders)
    for (const name of instructionNames) await reader.add(join(folder, name), projectFile(project));
  return reader.found.facts;
}

/** Every place where a project may have instructions, outermost first. */
export const instructionFiles = ({ root, cwd }: Pick<TrustedProject, "root" | "cwd">): string[] =>
  foldersBetween(root, cwd).flatMap((folder) => instructionNames.map((name) => join(folder, name)));

/** A link must not show the model other files: only the project's own and the user's instructions. */
async function acceptable(own: readonly string[], project: TrustedProject): Promise<Accepts> {
  const mine = await Promise.all(own.map((file) => realpath(file).catch(() => file)));
  const ofProject = projectFile(project);
  return (path) => mine.includes(path) || ofProject(path);
}

class InstructionReader {
  readonly #sources: InstructionSources;
  readonly #files = new Set<string>();
  readonly #texts = new Set<string>();
  /** The user's decisions on files outside the project. */
  readonly #permitted = new Map<string, boolean>();
  readonly found: Instructions = { facts: [], omitted: [] };

  constructor(sources: InstructionSources) {
    this.#sources = sources;
  }

  /**
   * Adds a file and what it imports; of a rule, without the fields before it. Every file is read once,
   * so imports may be circular.
   */
  async add(file: string, accepts: Accepts, { depth = 0, isRule = false } = {}): Promise<void> {
    if (this.#files.has(file)) return;
    this.#files.add(file);
    const whole = await read(file, accepts);
    const text = whole && isRule ? readFrontMatter(whole).body : whole;
    if (text === null || text.trim() === "" || this.#texts.has(text)) return;
    this.#texts.add(text);
    this.found.facts.push(contextFact("instructions", file, text));
    if (depth === maxDepth) return;
    for (const path of findImports(text, file, this.#sources.home)) {
      const allowed = await this.#allowed(path, accepts);
      if (allowed) await this.add(path, allowed, { depth: depth + 1 });
    }
  }

  /** Null if the import is not a file, or is one that the user does not allow. */
  async #allowed(path: string, accepts: Accepts): Promise<Accepts | null> {
    const real = await realpath(path).catch(() => null);
    const stat = real === null ? null : await lstat(real).catch(() => null);
    if (real === null || !stat?.isFile() || this.#files.has(path)) return null;
    if (accepts(real)) return accepts;
    const isPermitted = this.#permitted.get(real) ?? (await this.#sources.permit?.(real)) ?? false;
    this.#permitted.set(real, isPermitted);
    if (isPermitted) return (now) => now === real;
    this.found.omitted.push(path);
    return null;
  }
}

async function read(file: string, accepts: Accepts): Promise<string | null> {
  const start = await readStart(file, maxFileBytes, accepts);
  if (!start) return null;
  const rest = start.size - maxFileBytes;
  return rest > 0 ? `${start.text}\n[${rest} more bytes in ${file}]` : start.text;
}

/** Limit on the imports of one file. */
const maxImports = 50;

const code = /```[\s\S]*?```|`[^`\n]*`/g;
const pattern = /(?:^|\s)@([^\s@]+)/g;

/**
 * The absolute paths of the files that a text names by `@path` outside code, in order; whether they
 * exist is not known.
 */
export function findImports(text: string, file: string, home: string): string[] {
  const paths = [...text.replace(code, " ").matchAll(pattern)].map(([, path = ""]) => {
    const name = path.replace(/[),.;:!?'"]+$/, "");
    return name.startsWith("~/") ? join(home, name.slice(2)) : resolve(dirname(file), name);
  });
  return [...new Set(paths)].slice(0, maxImports);
}

export const ruleFolders = [".claude/rules", ".mini-claude/rules"] as const;

type InstructionRule = {
  file: string;
  /** Whether the real path of the file is allowed. */
  accepts(realPath: string): boolean;
  /** Whether the rule applies to a file; null: to all. */
  matches: ((path: string) => boolean) | null;
};

/** Enough for the fields at the start of a file. */
const fieldBytes = 8_000;

/** The user's rules, then those of the project from its root down to the opened folder. */
export async function findRules(
  own: readonly string[],
  project: TrustedProject | null,
): Promise<InstructionRule[]> {
  const rules: InstructionRule[] = [];
  const add = async (folder: string, base: string | null, accepts: InstructionRule["accepts"]) => {
    for (const path of await markdownBelow(folder)) {
      const file = join(folder, path);
      const start = await readStart(file, fieldBytes, accepts);
      const patterns = start && parsePatterns(readFrontMatter(start.text).fields["paths"]);
      if (start) rules.push({ file, accepts, matches: patterns && matcher(patterns, base) });
    }
  };
  for (const folder of own) await add(folder, project?.root ?? null, () => true);
  if (project)
    for (const base of foldersBetween(project.root, project.cwd))
      for (const name of ruleFolders) await add(join(base, name), base, projectFile(project));
  return rules;
}

/** Patterns are relative to the folder that the rules belong to. */
function matcher(patterns: readonly string[], base: string | null): (path: string) => boolean {
  const globs = patterns.map((pattern) => new Bun.Glob(pattern));
  return (path) =>
    base !== null && holds(base, path) && globs.some((glob) => glob.match(relative(base, path)));
}

/** A list, or patterns between commas; null when there are none. */
function parsePatterns(value: unknown): string[] | null {
  const list = Array.isArray(value)
    ? value.filter((pattern) => typeof pattern === "string")
    : typeof value === "string"
      ? // A comma between braces belongs to the pattern.
        (value.match(/(?:[^,{]|\{[^}]*\}?)+/g) ?? [])
      : [];
  const patterns = list.map((pattern) => pattern.trim()).filter((pattern) => pattern !== "");
  return patterns.length === 0 ? null : patterns;
}

type SessionSources = {
  flags: Pick<Flags, "sources">;
  paths: Pick<Paths, "instructions" | "rules" | "memory">;
  env: Environment;
  project: TrustedProject | null;
  /** Asks the user about a file outside the project. */
  permit?: ((path: string) => Promise<boolean>) | undefined;
};

/** The instructions, and a note for each import that was left out. */
export async function readInstructions({ flags, paths, env, ...sources }: SessionSources) {
  const isOwn = flags.sources.includes("user");
  const { facts, omitted } = await findInstructions({
    ...sources,
    own: isOwn ? paths.instructions : [],
    ownRules: isOwn ? paths.rules : [],
    home: realHome(env),
  });
  const { everywhere, here } = paths.memory;
  const memory: ContextFact[] = isOwn ? await readMemory([everywhere, here]) : [];
  const notes = omitted.map((path): Fact => {
    const text = `Not imported into the instructions: ${path} is outside the project.`;
    return { type: "note", kind: "warning", text };
  });
  return { facts: [...facts, ...memory], notes };
}

/**
 * Appends the instructions of a subfolder when a file in it is first read or changed, and rules when
 * that is done to a file that they are about.
 */
export function followFiles(
  hooks: HookRegistry,
  project: TrustedProject,
  { ownRules, path }: { ownRules: readonly string[]; path: () => readonly Entry[] },
): void {
  let rules: Promise<readonly InstructionRule[]> | null = null;
  hooks.register(
    "PostToolUse",
    "Read|Edit|Write",
    async ({ tool_input, cwd }) => {
      const named = findFilePath(tool_input);
      const file = named && (await realpath(resolve(cwd, named)).catch(() => null));
      if (!file) return {};
      rules ??= findRules(ownRules, project);
      const facts = [
        ...(await instructionsBelow(project, file)),
        ...(await rulesAbout(file, await rules, project)),
      ];
      if (facts.length === 0) return {};
      const told = new Set(path().map((entry) => (entry.type === "context" ? entry.title : null)));
      return { facts: facts.filter(({ title }) => !told.has(title)) };
    },
    { source: "built-in", name: "instructions of subfolders, and rules" },
  );
}
