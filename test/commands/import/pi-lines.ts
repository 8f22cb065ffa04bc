/** Lines of a session of pi, made up. */

type Extra = { [key: string]: unknown };

const start = Date.UTC(2025, 10, 2, 8);

export class PiSession {
  readonly lines: Extra[];
  #last: string | null = null;
  #number = 0;

  constructor(id = "0193-pi", cwd = "/work/shop") {
    const timestamp = new Date(start).toISOString();
    this.lines = [{ type: "session", version: 3, id, timestamp, cwd }];
  }

  get last(): string | null {
    return this.#last;
  }

  get text(): string {
    return this.lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  }

  add(type: string, extra: Extra): string {
    const id = `p${++this.#number}`;
    const timestamp = new Date(start + this.#number * 1_000).toISOString();
    this.lines.push({ type, id, parentId: this.#last, timestamp, ...extra });
    this.#last = id;
    return id;
  }

  message(role: string, extra: Extra): string {
    return this.add("message", { message: { role, timestamp: start + this.#number, ...extra } });
  }

  user(content: unknown): string {
    return this.message("user", { content });
  }

  answer(content: Extra[], extra: Extra = {}): string {
    return this.message("assistant", {
      content,
      api: "openai-responses",
      provider: "openai",
      model: "gpt-5.1-codex",
      usage: { input: 40, output: 9, cacheRead: 900, cacheWrite: 5, totalTokens: 954, cost: {} },
      stopReason: content.some((one) => one["type"] === "toolCall") ? "toolUse" : "stop",
      ...extra,
    });
  }

  result(id: string, words: string, extra: Extra = {}): string {
    const content = [{ type: "text", text: words }];
    const rest = { toolCallId: id, toolName: "read", content, isError: false };
    return this.message("toolResult", { ...rest, ...extra });
  }
}

export const toolCall = (id: string, name: string, input: Extra = {}) => ({
  type: "toolCall",
  id,
  name,
  arguments: input,
});
