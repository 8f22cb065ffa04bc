import { expect, test } from "bun:test";
import { blockText } from "../../../src/protocol/block.ts";
import { says, user } from "../../context/summary/say.ts";
import { world, writes } from "./harness.ts";
import { hooksWith } from "../../extensions/hooks/hooks-with.ts";

const long = "word after word ".repeat(400);

async function writePrompt(focus?: string, instructions?: string): Promise<string> {
  const hooks = hooksWith(
    instructions ? { PreCompact: async () => ({ context: instructions }) } : {},
  );
  const one = world([writes()], { parts: { hooks } });
  await one.add(user("Mend the parser."), says(long), user("go on"));
  await one.compact(focus);
  const last = one.model.requests[0]?.messages.at(-1);
  return blockText((last?.content ?? []).filter((block) => block.type === "text"));
}

test("the summary prompt ends with the focus, then with the hook's instructions", async () => {
  const plain = await writePrompt();
  expect(plain).toBe(plain.trim());
  const focused = await writePrompt("the tests");
  expect(focused).toBe(`${plain}\n\nAbove all, keep what is relevant to this: the tests`);
  expect(await writePrompt("the tests", " Name the files. ")).toBe(`${focused}\n\nName the files.`);
});
