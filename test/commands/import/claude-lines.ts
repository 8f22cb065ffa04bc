/** Lines of a session of Claude Code, made up. */

type Extra = { [key: string]: unknown };

const start = Date.UTC(2025, 9, 1, 9);

/** A chain: every line follows the line before it unless `parentUuid` says otherwise. */
export class ClaudeSession {
  readonly lines: Extra[] = [];
  #last: string | null = null;
  #number = 0;
  readonly session: string;
  readonly cwd: string;

  constructor(session = "11111111-aaaa-4bbb-8ccc-000000000001", cwd = "/work/shop") {
    this.session = session;
    this.cwd = cwd;
  }

  get last(): string | null {
    return this.#last;
  }

  get text(): string {
    return this.lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  }

  /** Returns the uuid. */
  add(type: string, extra: Extra): string {
    const uuid = `u${++this.#number}`;
    this.lines.push({
      parentUuid: this.#last,
      isSidechain: false,
      cwd: this.cwd,
      sessionId: this.session,
      type,
      uuid,
      timestamp: new Date(start + this.#number * 1_000).toISOString(),
      ...extra,
    });
    if (extra["isSidechain"] !== true) this.#last = uuid;
    return uuid;
  }

  user(content: unknown, extra: Extra = {}): string {
    return this.add("user", { message: { role: "user", content }, ...extra });
  }

  /** One line per block, as in the file. */
  answer(id: string, blocks: Extra[], extra: Extra = {}): string[] {
    return blocks.map((block, index) =>
      this.add("assistant", {
        message: {
          id,
          model: "claude-opus-4-5",
          content: [block],
          usage: {
            input_tokens: 10,
            cache_read_input_tokens: 2_000,
            cache_creation_input_tokens: 300,
            cache_creation: { ephemeral_1h_input_tokens: 100 },
            output_tokens: index === blocks.length - 1 ? 77 : 1,
          },
        },
        ...extra,
      }),
    );
  }

  result(call: string, content: unknown, extra: Extra = {}): string {
    const block = { type: "tool_result", tool_use_id: call, content };
    return this.user([block], { toolUseResult: {}, ...extra });
  }

  /** A new tree that follows the line before it. Returns the uuid. */
  compact(compactMetadata: Extra, logicalParentUuid = this.#last): string {
    const subtype = "compact_boundary";
    return this.add("system", { subtype, parentUuid: null, logicalParentUuid, compactMetadata });
  }

  beside(line: Extra): void {
    this.lines.push({ sessionId: this.session, ...line });
  }
}

export const text = (words: string) => ({ type: "text", text: words });
export const thinking = (words: string) => ({
  type: "thinking",
  thinking: words,
  signature: "c2lnbmVk",
});
export const call = (id: string, name: string, input: Extra = {}) => ({
  type: "tool_use",
  id,
  name,
  input,
});

/** A whole turn: a question, thinking, two parallel reads, an answer. */
export function shop(): ClaudeSession {
  const session = new ClaudeSession();
  session.beside({ type: "file-history-snapshot", messageId: "m", snapshot: {} });
  session.user("where is the till counted?");
  const [, first, second] = session.answer("msg_1", [
    thinking("Both files may count."),
    call("toolu_1", "Read", { file_path: "/work/shop/till.ts", offset: 3, limit: 5 }),
    call("toolu_2", "Read", { file_path: "/work/shop/sum.ts" }),
  ]);
  session.result("toolu_1", "count the till", { parentUuid: first });
  session.result("toolu_2", [text("sum it up")], { parentUuid: second });
  session.answer("msg_2", [text("In till.ts.")]);
  session.add("system", { subtype: "turn_duration", durationMs: 3 });
  return session;
}
