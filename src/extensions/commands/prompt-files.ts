/** Commands, skills and subagents written as Markdown; commands and skills are read whenever one is used. */

import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { SlashCommand } from "../../agent/slash-commands.ts";
import type { Flags } from "../../config/flags.ts";
import { type Paths, realHome } from "../../config/paths.ts";
import { clipLine } from "../../base/clip.ts";
import { contextFact } from "../../protocol/context-fact.ts";
import type { ContextFact } from "../../protocol/entry.ts";
import type { SubagentDefinition } from "../../protocol/subagent-definition.ts";
import type { Environment } from "../../base/environment.ts";
import { once } from "../../base/once.ts";
import type { LoadedSkill } from "../../tools/skill.ts";
import { findImports } from "../instructions/instructions.ts";
import { foldersBetween } from "../../tools/workspace.ts";
import {
  type TrustedProject,
  projectFile,
  readStart,
  hashOf,
} from "../../trust/project/project.ts";
import { listField, markdownBelow, maxFiles, readFrontMatter } from "../markdown-file.ts";
import { z } from "zod";

/** A command or skill that the user can run, for a menu. */
export type CommandInfo = Pick<PromptFile, "name" | "description" | "argumentHint" | "kind">;

/** The rule that opens the folder of a skill, where one can be written. */
const readable = (folder: string): string[] =>
  /[*?[\]{}!\\()]/.test(folder) ? [] : [`Read(/${folder}/**)`];

/** Limit on the files that one command includes. */
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
    const { approves, project } = this.#options;
    const folder = `Folder of this skill: ${dirname(file.file)}\n\n`;
    const parts = expandPrompt(body, argumentText);
    return {
      parts: kind === "skill" ? [{ kind: "text", text: folder }, ...parts] : parts,
      files: await this.#filesIn(`${body} ${argumentText}`),
      allowedTools:
        kind === "skill" && !isProject
          ? [...allowedTools, ...readable(dirname(file.file))]
          : allowedTools,
      isProject: isProject && !(project && approves?.(hashPrompt(file))),
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
function listSkills(skills: readonly PromptFile[]): ContextFact[] {
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

/** One file per name: project files override the user's, and inner folders override outer ones. */
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

type PromptFile = NonNullable<ReturnType<typeof parsePromptFile>>;

const fieldsSchema = once(() => {
  const text = z.string().max(2_000).catch("");
  const flag = (otherwise: boolean) => z.boolean().catch(otherwise);

  return z.object({
    name: z.string().catch(""),
    description: text,
    "argument-hint": z.union([z.string(), z.array(z.string())]).catch(""),
    model: z.string().min(1).max(200).optional().catch(undefined),
    "disable-model-invocation": flag(false),
    "user-invocable": flag(true),
  });
});

const namePattern = /^[\w-]{1,64}(?::[\w-]{1,64})*$/;

type Origin = {
  kind: "command" | "skill";
  /** "fix:issue" is run as `/fix:issue`. */
  name: string;
  file: string;
  /** The file comes with the project, not from the user's home. */
  isProject: boolean;
};

/** Null if it has no prompt or no usable name. */
function parsePromptFile(source: string, origin: Origin) {
  const { fields, body } = readFrontMatter(source);
  const known = fieldsSchema().parse(fields);
  // A skill may have another name than its folder; a command is named by its path alone.
  const own = origin.kind === "skill" && namePattern.test(known.name) ? known.name : origin.name;
  if (body === "" || !namePattern.test(own)) return null;
  const { model } = known;
  const hint = known["argument-hint"];
  return {
    ...origin,
    name: own,
    /** One line. */
    description: oneLine(known.description || firstLine(body)),
    /** Arguments that may follow the name, for the user. */
    argumentHint: oneLine(typeof hint === "string" ? hint : `[${hint.join("] [")}]`),
    body: body.replaceAll("${CLAUDE_SKILL_DIR}", dirname(origin.file)),
    /** Permission rules that it asks for. */
    allowedTools: listField(fields["allowed-tools"]) ?? [],
    /** Null: the session's. */
    model: model === undefined || model === "inherit" ? null : model,
    /** Whether the user can run it with a slash. */
    isForUser: known["user-invocable"],
    /** Whether the model can load it. */
    isForModel: origin.kind === "skill" && !known["disable-model-invocation"],
  };
}

/** "fix/issue.md" is "fix:issue". */
const commandName = (path: string): string =>
  [...dirname(path).split("/"), basename(path, ".md")].filter((part) => part !== ".").join(":");

const oneLine = (words: string): string => words.replace(/\s+/g, " ").trim();

const firstLine = (body: string): string => body.split("\n", 1)[0]?.replace(/^#+\s*/, "") ?? "";

const shell = /!`([^`\n]+)`/g;

/** The shell commands in a prompt, before its arguments are known. */
export const shellCommands = (body: string): string[] =>
  [...body.matchAll(shell)].map(([, command = ""]) => command);

/** Identifies a prompt that uses tools without asking. */
export const hashPrompt = ({
  name,
  allowedTools,
  body,
}: Pick<PromptFile, "name" | "allowedTools" | "body">): string =>
  hashOf("tools", name, allowedTools, body);

/**
 * Puts the arguments into a text: `$ARGUMENTS` is all of them, `$0` and `$ARGUMENTS[0]` the first.
 * If none is named, they follow the text. Only the text itself can hold commands, the arguments
 * cannot.
 */
function expandPrompt(body: string, argumentText: string) {
  const words = splitArguments(argumentText);
  let isUsed = false;
  const fill = (text: string): string =>
    text.replace(/\$ARGUMENTS\[(\d+)\]|\$ARGUMENTS\b|\$(\d+)\b/g, (_, index, position) => {
      isUsed = true;
      const at: unknown = index ?? position;
      return at === undefined ? argumentText : (words[Number(at)] ?? "");
    });
  const parts: SlashCommand["parts"][number][] = [];
  let from = 0;
  for (const match of body.matchAll(shell)) {
    parts.push({ kind: "text", text: fill(body.slice(from, match.index)) });
    parts.push({ kind: "shell", command: fill(match[1] ?? "") });
    from = match.index + match[0].length;
  }
  parts.push({ kind: "text", text: fill(body.slice(from)) });
  if (!isUsed && argumentText !== "")
    parts.push({ kind: "text", text: `\n\nARGUMENTS: ${argumentText}` });
  return parts.filter((part) => part.kind === "shell" || part.text !== "");
}

/** Words, of which quoted ones may hold spaces. */
const splitArguments = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );

const agentSchema = z.object({
  name: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional()
    .catch(undefined),
  description: z.string().max(2_000),
  model: z.string().min(1).max(200).optional().catch(undefined),
});

/** Folders with definitions, in a project and in a home. */
export const agentFolders = [".claude/agents", ".mini-claude/agents"] as const;

/**
 * A definition replaces an earlier one of the same name: the project's come after the user's.
 * `own`: folders of the user. `project` is null when its files are not trusted.
 */
export async function findSubagents(
  own: readonly string[],
  project: TrustedProject | null,
): Promise<SubagentDefinition[]> {
  const found = new Map<string, SubagentDefinition>();
  const add = async (folder: string, accepts: (path: string) => boolean): Promise<void> => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".md"));
    for (const name of names.toSorted().slice(0, maxFiles)) {
      const start = await readStart(join(folder, name), maxFileBytes, accepts);
      const definition = start && parseDefinition(start.text, basename(name, ".md"));
      if (definition) found.set(definition.name, definition);
    }
  };
  for (const folder of own) await add(folder, () => true);
  if (project)
    for (const name of agentFolders) await add(join(project.root, name), projectFile(project));
  return [...found.values()];
}

function parseDefinition(text: string, fileName: string): SubagentDefinition | null {
  const { fields, body } = readFrontMatter(text);
  const parsed = agentSchema.safeParse(fields);
  if (!parsed.success || !/^[\w-]{1,64}$/.test(fileName) || body === "") return null;
  const { name = fileName, description, model } = parsed.data;
  return {
    name,
    description,
    prompt: body,
    tools: listField(fields["tools"]),
    model: model === undefined || model === "inherit" ? null : model,
    readsOnly: false,
  };
}
