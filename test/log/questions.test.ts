import { afterAll, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answeredFromElsewhere, answerWaiting, waitingQuestions } from "../../src/log/questions.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";

const folder = await mkdtemp(join(tmpdir(), "questions-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
let count = 0;
let file = "";
beforeEach(() => void (file = join(folder, `${count++}.jsonl`)));

/** A session in another process that asks whether to run `rm -r sails`. */
async function ask(what = "question") {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "asking.ts"), file, what], {
    stdin: "pipe",
    stdout: "pipe",
  });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toBe(what === "review" ? "compaction\n" : "ask\n");
  const [question] = waitingQuestions(file);
  if (!question) throw new Error("It asks.");
  return {
    ...question,
    async answerThere(): Promise<void> {
      await child.stdin.write("\n");
      await child.stdin.flush();
      await child.exited;
    },
    /** The rest of what it prints. */
    async rest(): Promise<string[]> {
      let text = "";
      for (let part = await reader.read(); !part.done; part = await reader.read())
        text += new TextDecoder().decode(part.value);
      return text.trim().split("\n");
    },
  };
}

test("a question is answered from another process, and nothing of it stays behind", async () => {
  const { id, rest, ask: asked } = await ask();
  expect(asked).toMatchObject({ title: "run rm -r sails", rule: "Bash(rm:*)" });
  expect(statSync(`${file}.asks`).mode & 0o777).toBe(0o600);
  await answerWaiting(file, id, { allow: true, scope: "session" });
  const answer = { type: "answer", id: "t1", answer: { allow: true, scope: "session" } };
  expect(await rest()).toEqual(["asked", JSON.stringify(answer)]);
  expect(readdirSync(folder).filter((name) => name.startsWith(`${count - 1}.`))).toEqual([]);
});

test("an answer to another question, or to one that was answered there, is refused", async () => {
  const { id, answerThere, rest } = await ask();
  await expect(answerWaiting(file, "abcdef", { allow: true, scope: "once" })).rejects.toThrow(
    "The question abcdef is no longer open",
  );
  await answerThere();
  await expect(answerWaiting(file, id, { allow: true, scope: "once" })).rejects.toThrow(
    `The question ${id} is no longer open`,
  );
  expect(await rest()).toEqual(["asked", '{"type":"stop"}']);
});

test("questions and answers that others could have written are not read", async () => {
  const { id, answerThere, rest } = await ask();
  const answer = `${file}.answer-${id}`;
  writeFileSync(answer, JSON.stringify({ allow: true, scope: "always" }));
  chmodSync(answer, 0o664);
  chmodSync(`${file}.asks`, 0o644);
  expect(waitingQuestions(file)).toEqual([]);
  // It is removed unread.
  while (existsSync(answer)) await Bun.sleep(2);
  await answerThere();
  expect(await rest()).toEqual(["asked", '{"type":"stop"}']);
});

test("questions that a crash left behind do not wait", async () => {
  const { answerThere } = await ask();
  const left = readFileSync(`${file}.asks`, "utf8");
  await answerThere();
  writeFileSync(`${file}.asks`, left, { mode: 0o600 });
  expect(waitingQuestions(file)).toEqual([]);
});

test("a session that goes on after a crash removes the questions that were left", async () => {
  writeFileSync(`${file}.asks`, "{}", { mode: 0o600 });
  async function* events(): AsyncGenerator<AgentEvent, void> {
    expect(existsSync(`${file}.asks`)).toBe(false);
    yield { type: "asked", id: "t1" };
  }
  const seen = await Array.fromAsync(answeredFromElsewhere(events(), file, () => undefined));
  expect(seen).toHaveLength(1);
});

test("answers and parts of files that killed terminals left are removed once they are old", async () => {
  const left = [".answer-abcdef", ".answer-abcdef.01234567", ".asks.01234567"].map(
    (end) => file + end,
  );
  const other = join(folder, "other.jsonl.answer-abcdef");
  const young = `${file}.answer-fedcba`;
  for (const name of [...left, other, young]) writeFileSync(name, "{}", { mode: 0o600 });
  for (const name of [...left, other]) utimesSync(name, 1, 1);
  async function* events(): AsyncGenerator<AgentEvent, void> {}
  await Array.fromAsync(answeredFromElsewhere(events(), file, () => undefined));
  expect([...left, other, young].filter((name) => existsSync(name))).toEqual([other, young]);
});

test.each([
  [{ input: { answer: "Use this summary" } }, "They sailed."],
  [{ input: { answer: "Use this summary", text: "They rowed." } }, "They rowed."],
  [{ input: { answer: "Discard it and keep everything" } }, null],
  [null, null],
])("a summary is reviewed from another process: %p", async (given, text) => {
  const { id, ask: asked, rest } = await ask("review");
  expect(asked).toMatchObject({
    title: "Review the summary",
    detail: "They sailed.",
    poll: { editable: "They sailed." },
  });
  await answerWaiting(
    file,
    id,
    given ? { allow: true, scope: "once", ...given } : { allow: false },
  );
  const told = { type: "review", id: "r1", text };
  expect(await rest()).toEqual(["compaction", JSON.stringify(told)]);
  expect(existsSync(`${file}.asks`)).toBe(false);
});

test("a summary that was reviewed there does not wait any more", async () => {
  const { answerThere, id } = await ask("review");
  await answerThere();
  await expect(answerWaiting(file, id, { allow: false })).rejects.toThrow("no longer open");
});
