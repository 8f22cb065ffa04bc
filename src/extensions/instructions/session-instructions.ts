/** A session's instructions and memory, and the instructions of subfolders once a file there is touched. */

import { appendFile, lstat, mkdir, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Flags } from "../../config/flags.ts";
import { type Paths, realHome } from "../../config/paths.ts";
import type { HookRegistry } from "../hooks/registry.ts";
import { findFilePath } from "../../protocol/block.ts";
import { type ContextFact, type Entry, type Fact, contextFact } from "../../protocol/entry.ts";
import type { Environment } from "../../base/environment.ts";
import {
  type InstructionRule,
  findInstructions,
  findRules,
  instructionsBelow,
  rulesAbout,
} from "./instructions.ts";
import { type TrustedProject, readStart } from "../project.ts";
import { clipLine, takeEnd } from "../../base/clip.ts";

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
  const told = titlesOn(path);
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
      return { facts: facts.length === 0 ? [] : facts.filter(({ title }) => !told().has(title)) };
    },
    { source: "built-in", name: "instructions of subfolders, and rules" },
  );
}

/** Titles of what a path tells the model. Each entry is read once, until the head moves. */
function titlesOn(path: () => readonly Entry[]): () => ReadonlySet<string> {
  let followed: readonly Entry[] = [];
  let looked = 0;
  const titles = new Set<string>();
  return () => {
    const now = path();
    if (now !== followed) {
      followed = now;
      looked = 0;
      titles.clear();
    }
    for (; looked < now.length; looked++) {
      const entry = now[looked];
      if (entry?.type === "context") titles.add(entry.title);
    }
    return titles;
  };
}

/** Characters of one file that the model is shown; the newest notes are at its end. */
const maxChars = 8_000;

const maxBytes = 1_000_000;

/** The notes of these files, as the model is shown them at the start of a session. */
export async function readMemory(files: readonly string[]): Promise<ContextFact[]> {
  const facts: ContextFact[] = [];
  for (const file of files) {
    const notes = (await readStart(file, maxBytes, () => true))?.text.trim();
    if (notes) facts.push(memoryFact(file, withinBudget(notes, file)));
  }
  return facts;
}

function withinBudget(notes: string, file: string): string {
  if (notes.length <= maxChars) return notes;
  const end = takeEnd(notes, maxChars);
  return `[older notes are in ${file}]\n${end.slice(end.indexOf("\n") + 1)}`;
}

/** Appends a note to a file (0600). Returns what the model is told. Throws what the disk throws. */
export async function remember(file: string, note: string): Promise<ContextFact> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const line = `- ${note.replace(/\s+/g, " ").trim()}`;
  await appendFile(file, `${line}\n`, { mode: 0o600 });
  // A title of its own, so that a summary keeps it beside the notes that were there before.
  return memoryFact(`memory: ${clipLine(line, 80)}`, line);
}

const memoryFact = (title: string, notes: string): ContextFact =>
  contextFact("instructions", title, `The user asked you to remember:\n${notes}`);

/**
 * The files of `/memory`: notes and instructions. Their sizes are in bytes; null: not there yet.
 * `instructions`: paths of the files that apply here.
 */
export async function memoryFiles(
  { memory }: Pick<Paths, "memory">,
  instructions: readonly string[],
) {
  const notes = [
    { name: "Notes on this folder", path: memory.here },
    { name: "Notes for all folders", path: memory.everywhere },
  ];
  const others = instructions
    .filter((path) => !notes.some((note) => note.path === path))
    .map((path) => ({ name: "Instructions", path }));
  return Promise.all(
    [...notes, ...others].map(async (file) => {
      const stat = await lstat(file.path).catch(() => null);
      return { ...file, bytes: stat?.size ?? null };
    }),
  );
}
