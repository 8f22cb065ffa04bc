/** Lines of a rollout of Codex, made up. */

type Extra = { [key: string]: unknown };

const start = Date.UTC(2025, 8, 20, 7);

export class CodexSession {
  readonly lines: Extra[] = [];
  #total = 0;

  constructor(id = "0199-codex", cwd = "/work/shop") {
    this.add("session_meta", { id, cwd, timestamp: this.#time(), originator: "codex_cli_rs" });
  }

  get text(): string {
    return this.lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  }

  #time(): string {
    return new Date(start + this.lines.length * 1_000).toISOString();
  }

  add(type: string, payload: Extra): void {
    this.lines.push({ timestamp: this.#time(), type, payload });
  }

  item(item: Extra): void {
    this.add("response_item", item);
  }

  event(event: Extra): void {
    this.add("event_msg", event);
  }

  user(words: string): void {
    this.item({ type: "message", role: "user", content: [{ type: "input_text", text: words }] });
    this.event({ type: "user_message", message: words });
  }

  answer(words: string): void {
    this.item({
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: words }],
    });
  }

  reasoning(words: string): void {
    const summary = words === "" ? [] : [{ type: "summary_text", text: words }];
    this.item({ type: "reasoning", summary, content: null, encrypted_content: "gAAA" });
  }

  call(id: string, name: string, input: Extra | string): void {
    const written = typeof input === "string" ? input : JSON.stringify(input);
    this.item({ type: "function_call", name, arguments: written, call_id: id });
  }

  output(id: string, output: unknown): void {
    this.item({ type: "function_call_output", call_id: id, output });
  }

  /** Comes twice: the second time with news about the rate limits. */
  tokens(input: number, cached: number, output: number): void {
    this.#total += input + output;
    const info = {
      last_token_usage: {
        input_tokens: input,
        cached_input_tokens: cached,
        output_tokens: output,
      },
      total_token_usage: { total_tokens: this.#total },
    };
    this.event({ type: "token_count", info });
    this.event({ type: "token_count", info, rate_limits: {} });
  }
}
