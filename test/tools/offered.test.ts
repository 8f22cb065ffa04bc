/** Which tools are offered, and what the mode "dont-ask" does with those that would ask. */

import { afterAll, expect, test } from "bun:test";
import { leave, room } from "./room.ts";

afterAll(leave);

test("only the chosen tools are offered, and none that a rule denies altogether", async () => {
  const at = await room({
    only: ["Read", "Bash", "Write", "WebFetch"],
    rules: { allow: [], ask: [], deny: ["Bash", "WebFetch(*)", "Read(.env)"] },
  });
  expect(at.box.definitions.map(({ name }) => name)).toEqual(["Read", "Write"]);
  const review = await at.review("Bash", { command: "ls" });
  expect(review).toMatchObject({ verdict: "refuse" });
});

test("dont-ask refuses what would prompt, and allows what a rule allows", async () => {
  const rules = { allow: ["Write(a.txt)"], ask: [], deny: [] };
  const at = await room({ mode: "dont-ask", rules });
  const write = async (file_path: string) =>
    (await at.review("Write", { file_path, content: "" })).verdict;
  expect([await write("a.txt"), await write("b.txt")]).toEqual(["allow", "refuse"]);
});

test("the first question about a command that could run confined offers mode auto, once", async () => {
  const at = await room();
  if (!(await at.box.hasSandbox())) return;
  const offer = async (command: string): Promise<unknown> => {
    const review = await at.review("Bash", { command });
    return review.verdict === "ask" && review.ask.offersAuto;
  };
  const write = await at.review("Write", { file_path: "a", content: "" });
  expect(write.verdict === "ask" && write.ask.offersAuto).toBeUndefined();
  expect(await offer("touch a")).toBe(true);
  expect(await offer("touch b")).toBeUndefined();
});
