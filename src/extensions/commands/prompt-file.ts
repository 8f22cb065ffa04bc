/** A command or a skill: a Markdown file with a prompt for the model, and fields before it. */

import { basename, dirname } from "node:path";
import { z } from "zod";
import { listField, readFrontMatter } from "../markdown-file.ts";

export type PromptFile = NonNullable<ReturnType<typeof parsePromptFile>>;

const text = z.string().max(2_000).catch("");
const flag = (otherwise: boolean) => z.boolean().catch(otherwise);

const fieldsSchema = z.object({
  name: z.string().catch(""),
  description: text,
  "argument-hint": z.union([z.string(), z.array(z.string())]).catch(""),
  model: z.string().min(1).max(200).optional().catch(undefined),
  "disable-model-invocation": flag(false),
  "user-invocable": flag(true),
});

const namePattern = /^[\w-]{1,64}(?::[\w-]{1,64})*$/;

type Origin = {
  kind: "command" | "skill";
  /** "fix:issue" is run as `/fix:issue`. */
  name: string;
  file: string;
  /** It comes with the project, not from the user's home. */
  isProject: boolean;
};

/** Null if it has no prompt or no usable name. */
export function parsePromptFile(source: string, origin: Origin) {
  const { fields, body } = readFrontMatter(source);
  const known = fieldsSchema.parse(fields);
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
    /** Null: that of the session. */
    model: model === undefined || model === "inherit" ? null : model,
    /** Whether the user can run it with a slash. */
    isForUser: known["user-invocable"],
    /** Whether the model can load it. */
    isForModel: origin.kind === "skill" && !known["disable-model-invocation"],
  };
}

/** "fix/issue.md" is "fix:issue". */
export const commandName = (path: string): string =>
  [...dirname(path).split("/"), basename(path, ".md")].filter((part) => part !== ".").join(":");

const oneLine = (words: string): string => words.replace(/\s+/g, " ").trim();

const firstLine = (body: string): string => body.split("\n", 1)[0]?.replace(/^#+\s*/, "") ?? "";

/** A command with its arguments, as parts of the message that is sent. */

type PromptPart =
  | { kind: "text"; text: string }
  /** The output of this shell command. */
  | { kind: "shell"; command: string };

const shell = /!`([^`\n]+)`/g;

/**
 * Puts the arguments into a text: `$ARGUMENTS` is all of them, `$0` and `$ARGUMENTS[0]` the first.
 * If none is named, they follow the text. Only the text itself can hold commands, the arguments
 * cannot.
 */
export function expandPrompt(body: string, argumentText: string): PromptPart[] {
  const words = splitArguments(argumentText);
  let isUsed = false;
  const fill = (text: string): string =>
    text.replace(/\$ARGUMENTS\[(\d+)\]|\$ARGUMENTS\b|\$(\d+)\b/g, (_, index, position) => {
      isUsed = true;
      const at: unknown = index ?? position;
      return at === undefined ? argumentText : (words[Number(at)] ?? "");
    });
  const parts: PromptPart[] = [];
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
export const splitArguments = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
