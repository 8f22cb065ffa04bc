import { expect, test } from "bun:test";
import { call, say, startFakeApi } from "../../fake-api/index.ts";
import { chat } from "./messages-loop.ts";

test("a plain Messages loop stays within its window, and every request is valid", async () => {
  const reads = 12;
  const api = startFakeApi({ model: { windowTokens: 60_000 } });
  for (let turn = 0; turn < reads; turn++)
    api.next({ content: [call("Read", { file_path: `/${turn}.txt` })] }, say(`Seen ${turn}.`));
  const prompts = Array.from({ length: reads }, (_, turn) => `Read file ${turn}.`);
  const { said, cuts, meter } = await chat(prompts, {
    baseUrl: api.url,
    windowTokens: 60_000,
    read: async (path) => `line of ${path}\n`.repeat(1_500),
  });
  expect(said).toBe("Seen 11.");
  expect(api.refusals).toEqual([]);
  expect(cuts.length).toBeGreaterThan(0);
  expect(meter.usedTokens).toBeLessThan(60_000);
  await api.stop();
});
