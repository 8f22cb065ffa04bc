/** Small sessions in the common format, generated. */

type Step = { path: string; chars: number; human?: string; gapMs?: number; edit?: string };

/** Each step reads a file; `human` begins a turn before it, `edit` replaces a text of that file after it. */
export function session(steps: readonly Step[], seed = "s"): string {
  let ms = Date.UTC(2026, 0, 1);
  const at = (): string => new Date(ms).toISOString();
  const lines: unknown[] = [{ session: seed, cwd: "/work", output_tokens_reliable: false }];
  let results: unknown[] = [];
  const answer = (block: unknown): void => {
    ms += 1_000;
    lines.push({ role: "assistant", content: [block], ts: at(), usage: null, meta: {} });
  };
  const say = (human: string | undefined, gapMs: number): void => {
    ms += gapMs;
    const words = human === undefined ? [] : [{ type: "text", text: human }];
    const content = [...results, ...words];
    if (content.length > 0)
      lines.push({
        role: "user",
        content,
        ts: at(),
        meta: human === undefined ? {} : { human: true },
      });
    results = [];
  };
  for (const [index, { path, chars, human, gapMs = 2_000, edit }] of steps.entries()) {
    if (human !== undefined && index > 0) {
      say(undefined, 1_000);
      answer({ type: "text", text: "Done." });
    }
    say(human, gapMs);
    const id = `${seed}-${index}`;
    answer({ type: "tool_use", id, name: "Read", input: { file_path: path } });
    results = [{ type: "tool_result", tool_use_id: id, content: makeText(path, chars) }];
    if (edit === undefined) continue;
    say(undefined, 1_000);
    const input = { file_path: path, old_string: edit, new_string: `${edit}!` };
    answer({ type: "tool_use", id: `${id}e`, name: "Edit", input });
    results = [{ type: "tool_result", tool_use_id: `${id}e`, content: "ok" }];
  }
  say(undefined, 1_000);
  answer({ type: "text", text: "The end." });
  return lines.map((line) => JSON.stringify(line)).join("\n");
}

export const makeText = (path: string, chars: number): string =>
  Array.from({ length: Math.ceil(chars / 40) }, (_, line) =>
    `${path} line ${line} `.padEnd(39, "."),
  ).join("\n");
