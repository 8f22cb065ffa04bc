/**
 * The context engine in the agent pi, as an extension: `pi install npm:mini-claude`. Old results are
 * trimmed, dropped or cleared as here, at the start of a turn and for a price that pays; pi's log keeps
 * everything, and its own compaction goes on as usual. `/cuts` says what was cut, `/undo-cut` takes the
 * latest cut back.
 */

import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../base/guards.ts";
import { type AnyMessage, type Context, type Cut, createContext } from "./context.ts";

/** The parts of pi that are used here; other fields of a message are passed on unchanged. */
type PiContextMessage = { role: string; content?: unknown; [key: string]: unknown };
type PiContext = {
  model: { id: string; contextWindow: number } | undefined;
  ui: { notify(text: string, level: "info"): void };
};
type Pi = {
  on(
    event: "context",
    handler: (
      event: { messages: PiContextMessage[] },
      context: PiContext,
    ) => Promise<{ messages: PiContextMessage[] }>,
  ): unknown;
  registerCommand(
    name: string,
    command: { description: string; handler(args: string, context: PiContext): Promise<void> },
  ): void;
};

/** A conversation as the engine knows it. */
type Followed = {
  context: Context;
  model: string;
  /** Names its messages, in order. */
  seen: string[];
  cuts: Cut[];
  /** Messages before this one lost their thinking: it is bound to what stood before it. */
  changedBefore: number;
};

export default function extension(pi: Pi): void {
  let followed: Followed | null = null;

  pi.on("context", async ({ messages }, { model }) => {
    if (!model) return { messages };
    followed = follow(followed, messages, model);
    // In the middle of a tool loop nothing changes.
    if (messages.at(-1)?.role !== "toolResult") await cut(followed, messages.length);
    return { messages: withCuts(messages, followed) };
  });
  pi.registerCommand("cuts", {
    description: "What mini-claude's engine left out of the context, and why",
    async handler(_, { ui }) {
      const lines = (followed?.cuts ?? []).map(({ tier, reason, price }) => {
        return `${tier}: ${reason} (${price.usedBefore} to ${price.usedAfter} tokens)`;
      });
      ui.notify(lines.join("\n") || "Nothing was cut.", "info");
    },
  });
  pi.registerCommand("undo-cut", {
    description: "Put back what the latest cut left out",
    async handler(_, { ui }) {
      const latest = followed?.cuts.pop();
      if (!followed || !latest) return ui.notify("There is no cut to undo.", "info");
      followed.context.undo(latest);
      followed.changedBefore = followed.seen.length;
      ui.notify(`Undone: ${latest.reason}`, "info");
    },
  });
}

/** Adds what is new, or begins again when the conversation is another one. */
function follow(
  known: Followed | null,
  messages: readonly PiContextMessage[],
  { id: model, contextWindow }: NonNullable<PiContext["model"]>,
): Followed {
  const names = messages.map(({ role, timestamp, toolCallId }) =>
    [role, timestamp, toolCallId].join(" "),
  );
  const goesOn = known?.model === model && known.seen.every((name, at) => name === names[at]);
  const rules = { windowTokens: contextWindow };
  const followed: Followed = goesOn
    ? known
    : { context: createContext({ model, rules }), model, seen: [], cuts: [], changedBefore: 0 };
  for (const message of messages.slice(followed.seen.length))
    for (const each of toMessages(message)) followed.context.push(each);
  followed.seen = names;
  return followed;
}

async function cut(followed: Followed, length: number): Promise<void> {
  for (const made of await followed.context.compact()) {
    // Summaries are pi's own.
    if (made.changes.some(({ kind }) => kind === "cover")) followed.context.undo(made);
    else {
      followed.cuts.push(made);
      followed.changedBefore = length;
    }
  }
}

/** The messages with the results and inputs that the engine would send. */
function withCuts(
  messages: readonly PiContextMessage[],
  { context, changedBefore }: Followed,
): PiContextMessage[] {
  const results = new Map<string, string>();
  const inputs = new Map<string, object>();
  for (const { content } of context.messages)
    for (const block of content) {
      if (block.type === "tool_result") results.set(block.tool_use_id, joinText(block.content));
      if (block.type === "tool_use") inputs.set(block.id, block.input);
    }
  return messages.map((message, at) => {
    const { role, content, toolCallId } = message;
    if (!Array.isArray(content)) return message;
    const text = role === "toolResult" ? results.get(String(toolCallId)) : undefined;
    if (text !== undefined && text !== joinText(content))
      return { ...message, content: [{ type: "text", text }] };
    if (role !== "assistant" || at >= changedBefore) return message;
    const kept = content.filter(isRecord).filter(({ type }) => type !== "thinking");
    return { ...message, content: kept.map((block) => withInput(block, inputs)) };
  });
}

/** The engine knows files by another key. */
function toInput(sent: unknown): object {
  const { path, ...rest } = Object(sent);
  return path === undefined ? rest : { ...rest, file_path: path };
}

/** A call that was not cut keeps its bytes, and the prompt cache with them. */
function withInput(block: Record<string, unknown>, inputs: ReadonlyMap<string, object>): object {
  const input = block["type"] === "toolCall" ? inputs.get(String(block["id"])) : undefined;
  if (!input || isDeepStrictEqual(input, toInput(block["arguments"]))) return block;
  const { file_path: path, ...rest } = Object(input);
  return { ...block, arguments: { ...rest, path } };
}

/** pi's names of tools that the engine knows: it drops reads and searches that are stale. */
const tools = new Map([
  ["read", "Read"],
  ["write", "Write"],
  ["edit", "Edit"],
  ["bash", "Bash"],
  ["grep", "Grep"],
  ["find", "Glob"],
]);

function toMessages({ role, content, usage, ...more }: PiContextMessage): AnyMessage[] {
  if (role === "toolResult") {
    const { toolCallId: id, isError } = more;
    const result = { tool_use_id: id, content: joinText(content), is_error: isError === true };
    return [{ role: "user", content: [{ type: "tool_result", ...result }] }];
  }
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  if (role !== "assistant") {
    const text = joinText(content) || joinText(more["summary"]) || joinText(more["output"]);
    return text === "" ? [] : [{ role: "user", content: text }];
  }
  const sent = blocks.flatMap((block): object[] => {
    if (block["type"] === "text" && block["text"] !== "")
      return [{ type: "text", text: block["text"] }];
    if (block["type"] !== "toolCall") return [];
    const { id, name, arguments: input } = block;
    const known = tools.get(String(name)) ?? name;
    return [{ type: "tool_use", id, name: known, input: toInput(input) }];
  });
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = Object(usage);
  const counted = {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  };
  return sent.length === 0 ? [] : [{ role, content: sent, usage: counted }];
}

const joinText = (content: unknown): string => {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  return blocks.map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
};
