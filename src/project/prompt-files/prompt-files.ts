/** Commands and skills of this session, read from the disk whenever one is used. */

import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SlashCommand } from "../../agent/slash-commands.ts";
import type { Flags } from "../../config/flags.ts";
import { type Paths, realHome } from "../../config/paths.ts";
import { clipLine } from "../../protocol/clip.ts";
import { type ContextFact, contextFact } from "../../protocol/entry.ts";
import type { Environment } from "../../protocol/environment.ts";
import type { LoadedSkill } from "../../tools/skill.ts";
import { importsIn } from "../instructions.ts";
import type { TrustedProject } from "../project-file.ts";
import { expandPrompt } from "./expand.ts";
import type { PromptFileSources } from "./find.ts";
import type { PromptFile } from "./prompt-file.ts";

/** A command or skill that the user can run, for a menu. */
export type CommandInfo = Pick<PromptFile, "name" | "description" | "argumentHint" | "kind">;

/** The rule that opens the folder of a skill, where one can be written. */
const readable = (folder: string): string[] =>
  /[*?[\]{}!\\()]/.test(folder) ? [] : [`Read(/${folder}/**)`];

/** Most files that one command shows. */
const maxFiles = 20;

type Options = {
  flags: Pick<Flags, "sources">;
  paths: Pick<Paths, "root">;
  env: Environment;
  cwd: string;
  project: TrustedProject | null;
  /** The name that the provider knows a model by; null: it cannot be chosen. */
  modelNamed(name: string): string | null;
};

export class PromptFiles {
  readonly #options: Options;
  readonly #home: string;

  constructor(options: Options) {
    this.#options = options;
    this.#home = realHome(options.env);
  }

  /** What the user can run, by name. */
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
    const skill = skills.find((one) => one.name === name && one.isForModel);
    if (!skill) return null;
    // Its shell commands are left to the model, whose calls are judged one by one.
    const parts = expandPrompt(skill.body, args).map((part) =>
      part.kind === "text" ? part.text : `\`${part.command}\``,
    );
    return { text: parts.join(""), folder: dirname(skill.file) };
  }

  async command(name: string, argumentText: string): Promise<SlashCommand | null> {
    const file =
      (await this.#find("command")).find((one) => one.name === name) ??
      (await this.#find("skill")).find((one) => one.name === name);
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
      isProject,
      model: model && this.#options.modelNamed(model),
    };
  }

  /** Files that a text names by `@path`, from the opened folder. */
  async #filesIn(text: string): Promise<string[]> {
    const files: string[] = [];
    for (const path of importsIn(text, join(this.#options.cwd, "command.md"), this.#home)) {
      const stat = await lstat(path).catch(() => null);
      if (stat?.isFile()) files.push(path);
    }
    return files.slice(0, maxFiles);
  }

  async #find(kind: PromptFile["kind"]): Promise<PromptFile[]> {
    const { findPromptFiles } = await import("./find.ts");
    const { flags, paths, project } = this.#options;
    const sources: PromptFileSources = {
      home: flags.sources.includes("user") ? this.#home : null,
      ownFolder: paths.root,
      project,
    };
    return findPromptFiles(kind, sources);
  }
}

/** Characters of all lines together. */
const maxChars = 4_000;
const maxLineChars = 250;

const introduction =
  "Skills: instructions for particular tasks. When a task matches one, load it with the Skill tool first.";

/**
 * What the model is told about its skills: one line each, and only the names of those that no
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
