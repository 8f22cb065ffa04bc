/** The offline model does what it says, with the real tools, in a folder made for it. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOfflineClient } from "../../../src/apps/offline/client.ts";
import { workshop } from "./workshop.ts";

const root = await mkdtemp(join(tmpdir(), "offline-"));
const project = join(root, "project");
const results = join(root, "home", "tool-results");

beforeAll(async () => {
  const files: Record<string, string> = {
    "README.md": "# Tea timer\n\nRings when the tea is ready.\n",
    "package.json":
      '{\n  "name": "tea-timer",\n  "scripts": {\n    "test": "echo 3 passed, 0 failed",\n    "lint": "cat lint.txt; exit 3"\n  }\n}\n',
    "src/brew.ts":
      '/** How long a tea has to stand. */\nexport function brewSeconds(kind: string): number {\n  return kind === "green" ? 120 : 240;\n}\n',
    "src/view/timer-panel.tsx":
      'import { brewSeconds } from "../brew.ts";\n\n/** Draws the remaining time. */\nexport function TimerPanel() {\n  return <p>{brewSeconds("green")}</p>;\n}\n',
    "test/brew.test.ts":
      'import { brewSeconds } from "../src/brew.ts";\n// where brewSeconds is tested\nbrewSeconds("black");\n',
    "lint.txt": `src/brew.ts:3:10 error: no ternary\n${"noise\n".repeat(50)}`,
    "src/long.ts": `${"// filler\n".repeat(700)}export const end = 1;\n`,
    "docs/notes.md": "The timer panel draws the brew seconds.\n",
  };
  for (const [path, text] of Object.entries(files)) await Bun.write(join(project, path), text);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const ask = async (question: string): Promise<string> => {
  const shop = await workshop(project, results);
  const answer = await shop.ask(question);
  await shop.close();
  return answer;
};

test.each([
  ["what is this project?", ["Tea timer", "Rings when the tea is ready", "package.json:"]],
  ["where is brewSeconds defined?", ["src/brew.ts:2"]],
  ["where is the timer panel drawn?", ["src/view/timer-panel.tsx:4"]],
  ["Where is brewSeconds tested?", ["test/brew.test.ts:"]],
  [
    "explain src/brew.ts",
    ["How long a tea has to stand", "brewSeconds", "src/view/timer-panel.tsx:1"],
  ],
  ["run the tests", ["3 passed, 0 failed", "ended well"]],
  ["run `ls src`", ["brew.ts"]],
  ["list files in src", ["src/view/timer-panel.tsx"]],
  ["show lines 2-3 of src/brew.ts", ["export function brewSeconds"]],
  ['grep "brewSeconds"', ["src/brew.ts:2"]],
  ["read every file in src one by one", ["3 of 3 files"]],
  ["run the linter", ["failed: exit code 3", "no ternary", "`src/brew.ts:3`"]],
  ["who calls brewSeconds?", ["Defined:", "src/brew.ts:2", "Used:", "src/view/timer-panel.tsx:5"]],
  ["where is the pyramid tested?", ["found nothing"]],
  ["explain brewSeconds", ["is defined in `src/brew.ts:2`", "How long a tea has to stand"]],
  ["explain src/view", ["holds 1 file", "timer-panel.tsx"]],
  ["explain src/long.ts", ["701 lines", "src/long.ts:701", "**end**"]],
  ["show lines 4-5 of nowhere.ts", ["did not work", "does not exist"]],
  ["read src", ["src/brew.ts"]],
  ["explain nowhere.ts", ["find no file"]],
  ['replace "a" with "b" in nowhere.txt', ["cannot be read", "does not exist"]],
  ["run `git push --force`", ["do not run"]],
  ["run `echo x > README.md`", ["do not run"]],
  ["run `exit 4`", ["failed: exit code 4"]],
  [
    "explain src/brew.ts, and then explain src/view/timer-panel.tsx",
    ["**`src/view/timer-panel.tsx`**"],
  ],
  ["compact now", ["/compact"]],
  ["where is brew.ts?", ["`src/brew.ts:1`"]],
  ["explain @src/brew.ts", ["How long a tea has to stand"]],
  ["which files import brew.ts?", ["2 files", "src/view/timer-panel.tsx:1", "test/brew.test.ts:1"]],
  ["what does the timerPanel do?", ["no definition"]],
  ["what does the timerpanel do?", ["`TimerPanel`", "src/view/timer-panel.tsx:4"]],
  ["explain the timer panel", ["src/view/timer-panel.tsx:4"]],
  ["where is the flux capacitor?", ["found nothing"]],
  ["write me a poem about tea", ["cannot do that", "ANTHROPIC_API_KEY"]],
  ["run `rm -rf /`", ["do not run"]],
])("%s", async (question, wanted) => {
  const answer = await ask(question);
  for (const words of wanted) expect(answer).toContain(words);
});

test("an edit that is spelled out is made, also the awkward ones", async () => {
  const file = join(project, "scratch.txt");
  await ask('create scratch.txt with "alpha beta"');
  expect(await Bun.file(file).text()).toBe("alpha beta\n");
  await ask('replace "beta" with "$& `gamma`" in scratch.txt');
  expect(await Bun.file(file).text()).toBe("alpha $& `gamma`\n");
  await ask('append "omega" to scratch.txt');
  expect(await Bun.file(file).text()).toBe("alpha $& `gamma`\nomega\n");
  await ask("rename omega to psi in scratch.txt");
  await ask('delete the line "psi" from scratch.txt');
  expect(await Bun.file(file).text()).toBe("alpha $& `gamma`\n");
  expect(await ask('replace "a" with "x" in scratch.txt')).toContain("“a” stands in it 4 times");
  expect(await ask('replace "not there" with "x" in scratch.txt')).toContain("was not changed");
  await rm(file);
});

test("the same request has the same answer, and no memory is needed", async () => {
  const shop = await workshop(project, results);
  await shop.ask("where is brewSeconds defined?");
  const answer = async (): Promise<string> => {
    const parts: string[] = [];
    const stream = shop.client.stream(shop.request("turn"), new AbortController().signal);
    for await (const event of stream) parts.push(JSON.stringify(event));
    return parts.join("\n");
  };
  expect(await answer()).toBe(await answer());
  await shop.close();
});

test("it knows what was asked, and summarises in the conversation's own words", async () => {
  const shop = await workshop(project, results);
  await shop.ask("explain src/brew.ts");
  await shop.ask("run the tests");
  expect(await shop.ask("what did I ask first?")).toContain("explain src/brew.ts");
  const summary = await shop.summary();
  expect(summary).toStartWith("<summary>");
  expect(summary).toEndWith("</summary>");
  for (const words of ["explain src/brew.ts", "run the tests", "read: src/brew.ts"]) {
    expect(summary).toContain(words);
  }
  await shop.close();
});

test("a prompt over its window is refused as the API refuses it", async () => {
  const client = createOfflineClient({ windowTokens: 4_000 });
  const stream = client.stream(
    {
      model: "offline",
      system: [],
      tools: [],
      messages: [{ role: "user", content: [{ type: "text", text: "x".repeat(20_000) }] }],
      maxTokens: 100,
      thinking: "off",
      dropStaleThinking: false,
      purpose: "turn",
    },
    new AbortController().signal,
  );
  expect(stream.next()).rejects.toMatchObject({ kind: "too-long", sizes: { limit: 4_000 } });
});

test("failing tests are run, and the places that they name are shown", async () => {
  const folder = join(root, "failing");
  await Bun.write(
    join(folder, "package.json"),
    `{"scripts":{"test":"echo 'error: 2 is not 3 (src/sum.ts:2:3)'; exit 1"}}`,
  );
  await Bun.write(join(folder, "src/sum.ts"), "// sums\nexport const sum = 2;\n");
  const shop = await workshop(folder, results);
  const answer = await shop.ask("the tests fail, find out why and fix it");
  expect(shop.calls.at(-1)).toMatchObject({ name: "read_file", input: { path: "src/sum.ts" } });
  for (const part of ["failed: exit code 1", "export const sum = 2;", "cannot think of the change"])
    expect(answer).toContain(part);
  await shop.close();
});
