/** A prompt such as `/fix:issue 12`: a command that the user or the project defines. */

import { blockText, type ToolUseBlock, type UserBlock } from "../protocol/block.ts";
import type { Ask, Events } from "../protocol/event.ts";
import { type Goal, goalUsage, readGoal } from "./goal.ts";
import reviewPrompt from "./prompts/review.md" with { type: "text" };
import { askUser } from "./approvals.ts";
import type { ToolContext } from "./permit.ts";
import { runUnrecorded } from "./tool-calls.ts";

export type SlashCommand = {
  /** The words of the message; the output of shell commands replaces them. */
  parts: readonly ({ kind: "text"; text: string } | { kind: "shell"; command: string })[];
  /** Files whose contents are added to the message. */
  files: readonly string[];
  /** Permission rules for its turn. */
  allowedTools: readonly string[];
  /** The command comes with the project: the user is asked about its rules. */
  isProject: boolean;
  /** The model of its turn; null: the session's. */
  model: string | null;
};

/**
 * The command of that name with its arguments; null: there is none, so the prompt is sent
 * unchanged.
 */
export type FindCommand = (name: string, argumentText: string) => Promise<SlashCommand | null>;

export type ExpandedPrompt = Pick<SlashCommand, "allowedTools" | "model"> & {
  content: UserBlock[];
  /** Set by `/goal`. */
  goal?: Goal;
  /** Why it is not sent, such as how the command is used. */
  refusal?: string;
};

/** Commands that are messages of the program's own; one of the user or the project replaces it. */
export const builtInCommands = [
  {
    name: "review",
    description: "A subagent reads the diff and reports what is wrong, by file and line",
    argumentHint: "[commits or files]",
    kind: "command",
    isBuiltIn: true,
  },
  {
    name: "goal",
    description: "Go on until a command passes, within a limit of turns and dollars",
    argumentHint: "[--turns N] [--usd N] CHECK",
    kind: "command",
    isBuiltIn: true,
  },
] as const;

type BuiltIn = { text: string } & Pick<ExpandedPrompt, "goal" | "refusal">;

/** Null: there is no such command. */
function expandBuiltIn(name: string, argumentText: string): BuiltIn | null {
  if (name === "review") {
    const uncommitted =
      "the changes that are not committed, or, if there are none, those of the last commit";
    return { text: reviewPrompt.trim().replace("$SUBJECT", () => argumentText || uncommitted) };
  }
  if (name !== "goal") return null;
  const read = readGoal(argumentText);
  return read ? { text: read.message, goal: read.goal } : { text: "", refusal: goalUsage };
}

const pattern = /^\/([\w-]+(?::[\w-]+)*)(?:\s+([\s\S]*))?$/;

/** The message that a prompt expands to. Its shell commands and files need permission like any call. */
export async function* expandPrompt(
  context: ToolContext,
  find: FindCommand | undefined,
  content: UserBlock[],
  signal: AbortSignal,
): Events<ExpandedPrompt> {
  const prompt = blockText(content);
  const [, name, argumentText = ""] = pattern.exec(prompt) ?? [];
  const command = name === undefined ? null : await find?.(name, argumentText.trim());
  if (!command) {
    // Without `find` it is the task of a subagent.
    const own = name !== undefined && find ? expandBuiltIn(name, argumentText.trim()) : null;
    const expanded = { content, allowedTools: [], model: null };
    if (!own) return expanded;
    const images = content.filter(({ type }) => type === "image");
    const { text, ...rest } = own;
    const message = `${prompt}\n\n${text}`;
    return { ...expanded, ...rest, content: [...images, { type: "text", text: message }] };
  }
  const allowedTools = yield* permittedRules(context, prompt, command);
  context.toolbox.allowForTurn(allowedTools);
  const blocks: UserBlock[] = content.filter(({ type }) => type === "image");
  let text = `${prompt}\n\n`;
  for (const [index, part] of command.parts.entries()) {
    if (part.kind === "text") text += part.text;
    else {
      const call = makeCall("Bash", `${index}`, { command: part.command });
      text += blockText((yield* runUnrecorded(context, call, signal)).content);
    }
  }
  blocks.push({ type: "text", text: text.trim() });
  for (const [index, path] of command.files.entries()) {
    const call = makeCall("Read", `file-${index}`, { file_path: path });
    const { content: shown, isError } = yield* runUnrecorded(context, call, signal);
    if (!isError) blocks.push({ type: "text", text: `Contents of ${path}:` }, ...shown);
  }
  return { content: blocks, allowedTools, model: command.model };
}

const makeCall = (name: string, id: string, input: ToolUseBlock["input"]): ToolUseBlock => {
  return { type: "tool_use", id: `command-${id}`, name, input };
};

/** Tools that need no approval in the workspace. */
const readers = ["Read", "Glob", "Grep", "TodoWrite"];

/** The user decides each time about what a project's command would allow. */
async function* permittedRules(
  { approvals, toolbox }: ToolContext,
  prompt: string,
  { allowedTools, isProject }: SlashCommand,
): Events<readonly string[]> {
  if (!isProject || toolbox.mode === "bypass") return allowedTools;
  const widening = allowedTools.filter((rule) => !readers.includes(rule));
  if (widening.length === 0) return [];
  const ask: Ask = {
    id: "command-rules",
    toolUse: "command-rules",
    tool: "command",
    title: `${prompt.split(/\s/, 1)[0]} wants to use these tools without asking`,
    detail: widening.join("\n"),
    detailKind: "text",
    rule: null,
  };
  const { allow } = yield* askUser(approvals, ask);
  return allow ? widening : [];
}
