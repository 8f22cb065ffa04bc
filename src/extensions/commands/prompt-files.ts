/** Commands and skills of this session, read from the disk whenever one is used. */

import { lstat, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SlashCommand } from "../../agent/slash-commands.ts";
import type { Flags } from "../../config/flags.ts";
import { type Paths, realHome } from "../../config/paths.ts";
import { clipLine } from "../../base/clip.ts";
import { type ContextFact, contextFact } from "../../protocol/entry.ts";
import type { Environment } from "../../base/environment.ts";
import type { LoadedSkill } from "../../tools/skill.ts";
import { findImports } from "../instructions/instructions.ts";
import { foldersBetween } from "../../tools/workspace.ts";
import { projectFile, readStart, type TrustedProject } from "../project.ts";
import { hashOfTools } from "../scripts.ts";
import { expandPrompt, commandName, parsePromptFile, type PromptFile } from "./prompt-file.ts";
import { maxFiles, markdownBelow } from "../markdown-file.ts";

/** A command or skill that the user can run, for a menu. */
export type CommandInfo = Pick<PromptFile, "name" | "description" | "argumentHint" | "kind">;

/** The rule that opens the folder of a skill, where one can be written. */
const readable = (folder: string): string[] =>
  /[*?[\]{}!\\()]/.test(folder) ? [] : [`Read(/${folder}/**)`];

/** Most files that one command shows. */
const maxShown = 20;

type PromptFileOptions = {
  flags: Pick<Flags, "sources">;
  paths: Pick<Paths, "root">;
  env: Environment;
  cwd: string;
  project: TrustedProject | null;
  /** Whether the user approved what the project asks for, by its hash. */
  approves?: ((hash: string) => boolean) | undefined;
  /** The name that the provider knows a model by; null: it cannot be chosen. */
  modelNamed(name: string): string | null;
};

export class PromptFiles {
  readonly #options: PromptFileOptions;
  readonly #home: string;

  constructor(options: PromptFileOptions) {
    this.#options = options;
    this.#home = realHome(options.env);
  }

  /** Commands and skills for the user, by name. */
  async list(): Promise<CommandInfo[]> {
    const files = [...(await this.#find("skill")), ...(await this.#find("command"))];
    return files.filter(({ isForUser }) => isForUser);
  }

  /** The lines about skills with which a session begins. */
  async skillLines(): Promise<ContextFact[]> {
    return listSkills(await this.#find("skill"));
  }

  async loadSkill(name: string, args: string): Promise<LoadedSkill | null> {
    const skills = await this.#find("skill");
    const skill = skills.find((skill) => skill.name === name && skill.isForModel);
    if (!skill) return null;
    // Its shell commands are left to the model, whose calls are judged one by one.
    const parts = expandPrompt(skill.body, args).map((part) =>
      part.kind === "text" ? part.text : `\`${part.command}\``,
    );
    return { text: parts.join(""), folder: dirname(skill.file) };
  }

  async command(name: string, argumentText: string): Promise<SlashCommand | null> {
    const file =
      (await this.#find("command")).find((command) => command.name === name) ??
      (await this.#find("skill")).find((skill) => skill.name === name);
    if (!file?.isForUser) return null;
    const { body, allowedTools, isProject, model, kind } = file;
    const folder = `Folder of this skill: ${dirname(file.file)}\n\n`;
    const parts = expandPrompt(body, argumentText);
    return {
      parts: kind === "skill" ? [{ kind: "text", text: folder }, ...parts] : parts,
      files: await this.#filesIn(`${body} ${argumentText}`),
      allowedTools:
        kind === "skill" && !isProject
          ? [...allowedTools, ...readable(dirname(file.file))]
          : allowedTools,
      isProject:
        isProject && this.#options.approves?.(hashOfTools(file.name, allowedTools)) !== true,
      model: model && this.#options.modelNamed(model),
    };
  }

  /** Files that a text names by `@path`, from the opened folder. */
  async #filesIn(text: string): Promise<string[]> {
    const files: string[] = [];
    for (const path of findImports(text, join(this.#options.cwd, "command.md"), this.#home)) {
      const stat = await lstat(path).catch(() => null);
      if (stat?.isFile()) files.push(path);
    }
    return files.slice(0, maxShown);
  }

  #find(kind: PromptFile["kind"]): Promise<PromptFile[]> {
    const { flags, paths, project } = this.#options;
    const home = flags.sources.includes("user") ? this.#home : null;
    return findPromptFiles(kind, { home, ownFolder: paths.root, project });
  }
}

/** Characters of all lines together. */
const maxChars = 4_000;
const maxLineChars = 250;

const introduction =
  "Skills: instructions for particular tasks. When a task matches one, load it with the Skill tool first.";

/**
 * The model's list of its skills: one line each, and only the names of those that no
 * longer fit.
 */
export function listSkills(skills: readonly PromptFile[]): ContextFact[] {
  const lines: string[] = [];
  const names: string[] = [];
  let chars = 0;
  for (const { name, description, isForModel } of skills) {
    if (!isForModel) continue;
    const line = clipLine(`- ${name}: ${description}`, maxLineChars);
    chars += line.length;
    if (chars <= maxChars) lines.push(line);
    else names.push(name);
  }
  if (lines.length === 0) return [];
  const rest = names.length === 0 ? [] : [clipLine(`Others: ${names.join(", ")}`, maxChars)];
  return [contextFact("instructions", "skills", [introduction, ...lines, ...rest].join("\n"))];
}

/** Folders with commands and skills, in a project or in a home, the weaker ones first. */
export const promptFolders = {
  command: [".claude/commands", ".mini-claude/commands"],
  skill: [".agents/skills", ".claude/skills", ".mini-claude/skills"],
} as const;

const maxFileBytes = 100_000;

type PromptSources = {
  /** The user's home; null when nothing of theirs is used. */
  home: string | null;
  /** Our own folder, which a variable may have moved out of the home. */
  ownFolder: string;
  /** Null when its files are not trusted. */
  project: TrustedProject | null;
};

type PromptKind = PromptFile["kind"];

/** One file for each name: the project's replaces the user's, and the inner folder's the outer one's. */
export async function findPromptFiles(
  kind: PromptKind,
  { home, ownFolder, project }: PromptSources,
): Promise<PromptFile[]> {
  const found = new Map<string, PromptFile>();
  const add = async (folder: string, isProject: boolean): Promise<void> => {
    const accepts = isProject && project ? projectFile(project) : () => true;
    for (const path of await listPaths(folder, kind)) {
      const file = join(folder, path);
      const start = await readStart(file, maxFileBytes, accepts);
      const name = kind === "skill" ? (path.split("/")[0] ?? "") : commandName(path);
      const parsed = start && parsePromptFile(start.text, { kind, name, file, isProject });
      if (parsed) found.set(parsed.name, parsed);
    }
  };
  const names = promptFolders[kind];
  if (home !== null) {
    for (const name of names) await add(join(home, name), false);
    await add(join(ownFolder, `${kind}s`), false);
  }
  if (project)
    for (const folder of foldersBetween(project.root, project.cwd))
      for (const name of names) await add(join(folder, name), true);
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Paths of the files below a folder, in order. */
async function listPaths(folder: string, kind: PromptKind): Promise<string[]> {
  if (kind === "command") return markdownBelow(folder);
  const names = await readdir(folder).catch(() => []);
  const first = names.toSorted().slice(0, maxFiles);
  return first.map((name) => `${name}/SKILL.md`);
}
