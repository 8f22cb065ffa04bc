import { expect, test } from "bun:test";
import { accept } from "../../fake-api/ask.ts";
import { call, FakeApi, say } from "../../fake-api/index.ts";
import { createContext } from "../../../src/headless/library/context.ts";

const model = "claude-sonnet-4-5";
const tools = [
  { name: "Read", description: "Reads a file.", input_schema: { type: "object" as const } },
];

test("a plain Messages loop stays within its window, and every request is valid", async () => {
  const windowTokens = 60_000;
  const api = new FakeApi({ model: { windowTokens } });
  const context = createContext({ model, system: "Be brief.", tools, rules: { windowTokens } });
  let cuts = 0;
  for (let turn = 0; turn < 12; turn++) {
    api.next([call("Read", { file_path: `/${turn}.txt` })], say(`Seen ${turn}.`));
    context.push({ role: "user", content: `Read file ${turn}.` });
    cuts += (await context.compact()).length;
    for (let isWorking = true; isWorking;) {
      const { system, messages } = context.request();
      const { content } = await accept(api, { model, system, tools, messages });
      context.push({ role: "assistant", content });
      const results = content.flatMap((block) =>
        block.type === "tool_use"
          ? [
              {
                type: "tool_result",
                tool_use_id: block.id,
                content: `line ${turn}\n`.repeat(1_500),
              },
            ]
          : [],
      );
      if (results.length > 0) context.push({ role: "user", content: results });
      isWorking = results.length > 0;
    }
  }
  expect(JSON.stringify(context.messages.at(-1))).toContain("Seen 11.");
  expect(cuts).toBeGreaterThan(0);
  expect(context.meter().usedTokens).toBeLessThan(windowTokens);
});
