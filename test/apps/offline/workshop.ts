import { createToolbox } from "../../../src/tools/toolbox.ts";
import { createOfflineClient } from "../../../src/apps/offline/client.ts";
import type { AssistantBlock, ResultBlock, ToolUseBlock } from "../../../src/protocol/block.ts";
import type { Message, ModelRequest } from "../../../src/protocol/model.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { textOf } from "../../../src/protocol/block.ts";

/** The offline model with the real tools in a folder, without the agent between them. */
export async function workshop(folder: string, results: string) {
  const toolbox = await createToolbox({
    workspace: folder,
    addedFolders: [],
    resultsDir: results,
    policy: defaultPolicy,
    mode: "bypass",
    childEnv: { PATH: "/usr/bin:/bin", HOME: results },
    clock: { now: () => 0 },
    checkpoint: { save: async () => "0".repeat(64) },
  });
  const client = createOfflineClient({ windowTokens: 200_000 });
  const messages: Message[] = [];
  const calls: ToolUseBlock[] = [];

  const request = (purpose: ModelRequest["purpose"]): ModelRequest => ({
    model: "offline",
    system: [],
    tools: toolbox.definitions,
    messages,
    maxTokens: 4_000,
    thinking: "off",
    dropStaleThinking: false,
    purpose,
  });

  async function call(purpose: ModelRequest["purpose"] = "turn"): Promise<AssistantBlock[]> {
    const blocks: AssistantBlock[] = [];
    for await (const event of client.stream(request(purpose), new AbortController().signal)) {
      if (event.type === "block") blocks.push(event.block);
    }
    return blocks;
  }

  /** Asks, runs the tools until the model is done, gives its last words. */
  async function ask(question: string): Promise<string> {
    messages.push({ role: "user", content: [{ type: "text", text: question }] });
    for (let turn = 0; turn < 40; turn++) {
      const blocks = await call();
      messages.push({ role: "assistant", content: blocks });
      const uses = blocks.filter((block) => block.type === "tool_use");
      if (uses.length === 0) return textOf(blocks);
      calls.push(...uses);
      // One after another, as the agent runs what changes something.
      const content = [];
      for (const use of uses) content.push(await run(use));
      messages.push({ role: "user", content });
    }
    throw new Error("The offline model does not come to an end.");
  }

  async function run(use: ToolUseBlock) {
    const signal = new AbortController().signal;
    const outcome = await toolbox.run(use, {
      signal,
      progress: () => {},
      background: new Promise(() => {}),
    });
    const content: ResultBlock[] = outcome.content;
    const failed = outcome.isError ? { is_error: true as const } : {};
    return { type: "tool_result" as const, tool_use_id: use.id, content, ...failed };
  }

  async function summary(): Promise<string> {
    messages.push({ role: "user", content: [{ type: "text", text: "Summarise." }] });
    const text = textOf(await call("summary"));
    messages.pop();
    return text;
  }

  return { ask, summary, calls, messages, request, client, close: () => toolbox.close() };
}
