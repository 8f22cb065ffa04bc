/** Calls and thoughts that arrive as text, from servers without a parser for them. */

import { expect, test } from "bun:test";
import { createOpenAiClient } from "../../src/model/openai/client.ts";
import type { ToolDefinition } from "../../src/protocol/model.ts";
import { buildRequest, run, shown } from "./calls.ts";
import { chat, chatServer, chunk } from "./chat-server.ts";

const tool = (name: string, properties: object): ToolDefinition => {
  return { name, description: "", input_schema: { type: "object", properties } };
};
const tools = [
  tool("Read", { file_path: { type: "string" }, limit: { type: "integer" } }),
  tool("Bash", { command: { type: "string" } }),
];

/** The answer to these deltas, each a chunk. */
async function answer(deltas: object[], finish = "stop", model = "m") {
  const { fetch } = chatServer([chat(...deltas.map((delta) => chunk(delta)), chunk({}, finish))]);
  const client = createOpenAiClient({ baseUrl: "http://local/v1", fetch });
  return run(client, buildRequest({ model, tools }));
}

/** In pieces of a few characters, as models write. */
const inPieces = (text: string): object[] =>
  (text.match(/[^]{1,7}/g) ?? []).map((content) => ({ content }));

const readme = { name: "Read", input: { file_path: "README.md" } };

/** How models write the call that reads README.md. */
const forms: Record<string, string> = {
  Hermes: '<tool_call>\n{"name": "Read", "arguments": {"file_path": "README.md"}}\n</tool_call>',
  GLM: "<tool_call>Read\n<arg_key>file_path</arg_key>\n<arg_value>README.md</arg_value>\n</tool_call>",
  harmony:
    '<|channel|>commentary to=functions.Read <|constrain|>json<|message|>{"file_path":"README.md"}<|call|>',
  "DeepSeek V3":
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>Read\n```json\n{"file_path":"README.md"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  "DeepSeek V3.1":
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>Read<｜tool▁sep｜>{"file_path":"README.md"}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
  "DeepSeek V3.2":
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="Read">\n<｜DSML｜parameter name="file_path" string="true">README.md</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  Kimi: '<|tool_calls_section_begin|><|tool_call_begin|>functions.Read:0<|tool_call_argument_begin|>{"file_path":"README.md"}<|tool_call_end|><|tool_calls_section_end|>',
  Mistral: '[TOOL_CALLS][{"name": "Read", "arguments": {"file_path": "README.md"}}]',
  "newer Mistral": '[TOOL_CALLS]Read[ARGS]{"file_path": "README.md"}',
  Llama: '<|python_tag|>{"name": "Read", "parameters": {"file_path": "README.md"}}<|eom_id|>',
};

test.each<[string, string, object[]]>([
  ...Object.entries(forms).map(([name, text]): [string, string, object[]] => [
    name,
    text,
    [readme],
  ]),
  [
    "Hermes, two of them, the last without its end",
    '<tool_call>{"name": "Read", "arguments": "{\\"file_path\\": \\"README.md\\"}"}</tool_call>\n<tool_call>{"name":"Bash","parameters":{"command":"echo }"}}',
    [readme, { name: "Bash", input: { command: "echo }" } }],
  ],
  [
    "Qwen Coder",
    "<tool_call>\n<function=Read>\n<parameter=file_path>\nREADME.md\n</parameter>\n<parameter=limit>\n20\n</parameter>\n</function>\n</tool_call>",
    [{ name: "Read", input: { file_path: "README.md", limit: 20 } }],
  ],
])("calls in the form of %s", async (_, text, calls) => {
  const { blocks, stop } = await answer(inPieces(`I will look.\n\n${text}`));
  expect(blocks).toMatchObject([
    { type: "text", text: "I will look." },
    ...calls.map((call) => ({ type: "tool_use", ...call })),
  ]);
  expect(stop?.stop).toBe("tool_use");
});

test("a call inside the thoughts, and no answer after it", async () => {
  const thought =
    'I should look.\n<tool_call>{"name": "Read", "arguments": {"file_path": "README.md"}}</tool_call>';
  const { blocks } = await answer([{ reasoning_content: thought }]);
  expect(blocks).toMatchObject([{ type: "tool_use", ...readme }]);
});

const call = '<tool_call>{"name": "Read", "arguments": {"file_path": "a"}}</tool_call>';

test.each([
  ["in a fence", `The form is:\n\`\`\`\n${call}\n\`\`\``],
  ["in an open fence", `The form is:\n\`\`\`xml\n${call}`],
  ["in inline code", `Send \`${call}\``],
  ["within other code", `See \`x\`, and send \`so ${call}\``],
  ["in quotation marks", `It says "${call}"`],
])("what is quoted %s is no call", async (_, text) => {
  const { blocks, stop } = await answer(inPieces(text));
  expect(blocks).toEqual([{ type: "text", text }]);
  expect(stop?.stop).toBe("end_turn");
});

test("a call in the middle, or of another tool, is said and not run", async () => {
  for (const text of [`${call}\n\nThat is the form.`, call.replace("Read", "Delete")]) {
    const { blocks, stop } = await answer(inPieces(text));
    expect(blocks).toEqual([{ type: "text", text }]);
    expect(stop).toMatchObject({ stop: "unknown", detail: expect.stringContaining("--jinja") });
  }
});

test("a call that the output limit cut off is not read", async () => {
  const { blocks } = await answer(inPieces(call), "length");
  expect(blocks).toEqual([{ type: "text", text: call }]);
});

test.each([
  ["Bash<|channel|>commentary", "Bash"],
  ["functions.Bash", "Bash"],
  ["functions.Bash:0", "Bash"],
  ["<|constrain|>Bash", "Bash"],
  ["Bash</tool_call>", "Bash"],
  ["Other<|channel|>x", "Other"],
  ["mcp.find:0", "mcp.find:0"],
])("the name %s is %s", async (name, cleaned) => {
  const tool_calls = [{ index: 0, id: "c", function: { name, arguments: '{"command":"ls"}' } }];
  const { blocks } = await answer([{ tool_calls }], "tool_calls");
  expect(blocks).toMatchObject([{ type: "tool_use", name: cleaned }]);
});

test.each([
  "<think>pondering</think>\n\nFinished.",
  "\n<think>\npondering</think>Finished.",
  "<thinking>pondering</thinking>Finished.",
  "[THINK]pondering[/THINK]Finished.",
  "◁think▷pondering◁/think▷Finished.",
  "<|channel|>analysis<|message|>pondering<|end|><|start|>assistant<|channel|>final<|message|>Finished.",
])("thoughts in %s are no part of the answer", async (text) => {
  const { blocks, events } = await answer(inPieces(text));
  expect(blocks).toEqual([{ type: "text", text: "Finished." }]);
  expect(shown(events, "thinking")).toContain("pondering");
});

test("a thought whose opening tag is part of the prompt", async () => {
  const { blocks } = await answer(inPieces("pondering\n</think>\n\nFinished."));
  expect(blocks).toEqual([{ type: "text", text: "Finished." }]);
});

test("thoughts are sent back to models that want them", async () => {
  const { blocks } = await answer(inPieces("<think>hm</think>Yes."), "stop", "glm-4.7");
  expect(blocks).toContainEqual({ type: "thinking", thinking: "hm", signature: "" });
});

test.each([
  "The tag <think> begins a thought and </think> ends it.",
  "Write `</think>` at the end.",
  "```\nx\n</think>\n```",
  "<thi is no tag",
  "<",
])("%s stays as it is", async (text) => {
  expect((await answer(inPieces(text))).blocks).toEqual([{ type: "text", text }]);
});

test.each(["error", "network_error", "insufficient_system_resource", "abort"])(
  "%s is a failure that is tried again",
  async (reason) => {
    expect((await answer([{ content: "First" }], reason)).error?.kind).toBe("busy");
  },
);

test("a second choice is not mixed into the first", async () => {
  const both = (first: string, second: string) => ({
    choices: [
      { index: 1, delta: { content: second } },
      { index: 0, delta: { content: first } },
    ],
  });
  const end = { choices: [{ index: 1, delta: {}, finish_reason: "stop" }] };
  const { fetch } = chatServer([chat(both("one ", "two "), both("more", "less"), end)]);
  const client = createOpenAiClient({ baseUrl: "http://local/v1", fetch });
  const { blocks } = await run(client, buildRequest({ model: "m" }));
  expect(blocks).toHaveLength(1);
  expect(["one more", "two less"]).toContain((blocks[0] as { text: string }).text);
});
