import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { leave, room, type Room } from "../room.ts";

afterAll(leave);

async function readQuestion(at: Room, content: string): Promise<string> {
  const review = await at.review("Write", { file_path: "a.txt", content });
  return review.verdict === "ask" ? review.ask.detail : review.verdict;
}

test("the question shows what would change in an existing file", async () => {
  const at = await room();
  at.put("a.txt", "one\ntwo\n");
  await at.say("Read", { file_path: "a.txt" });
  const diff = await readQuestion(at, "one\n2\n");
  expect(diff).toContain(" one\n-two\n+2");
});

test("the question shows all of a new file", async () => {
  const diff = await readQuestion(await room(), "one\n2\n");
  expect(diff).toContain("+one\n+2");
});

test("the result says whether a file was created or replaced", async () => {
  const at = await room();
  expect(await at.say("Write", { file_path: "a.txt", content: "one\n" })).toBe(
    "Created a.txt (1 line, 4 bytes).",
  );
  expect(await at.say("Write", { file_path: "a.txt", content: "é\n\n" })).toContain(
    "Replaced a.txt (2 lines, 4 bytes).",
  );
  expect(readFileSync(join(at.root, "a.txt"), "utf8")).toBe("é\n\n");
});
