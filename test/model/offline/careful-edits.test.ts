/** An edit that could mean something else changes nothing, and says how to ask for it. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { openSession } from "./session.ts";

const files: Record<string, string> = {
  "README.md": "# linefind\n\nCache answers. Use `fetch_weather`.\n",
  "Cargo.toml": '[package]\nname = "linefind"\n\n[dependencies]\nclap = { version = "4.5" }\n',
  "index.html": "<html>\n<head><title>Lines</title></head>\n</html>\n",
  "src/lib.rs":
    "//! Lines.\nuse std::path::Path;\n\n#[test]\nfn bad() {\n    let options = Options { max: 1, follow: false };\n}\n",
  "src/client.py":
    'TIMEOUT = 10\n\n\ndef fetch_weather(city, days=3, units=1):\n    return os.environ.get(city)\n\n\nUNITS = ["metric", "imperial"], "metric"\n',
  "src/ui/header.css": ".header {\n  padding: 18px 8px;\n}\n",
  "src/ui/Header.tsx": 'export const Header = () => <h1 title="x">{title}</h1>;\n',
};

let session: Awaited<ReturnType<typeof openSession>>;
beforeAll(async () => {
  session = await openSession(files);
});
afterAll(() => session[Symbol.asyncDispose]());

const read = (path: string): Promise<string> => Bun.file(`${session.folder}/${path}`).text();

test.each([
  ["set max to 50", "change the max in src/lib.rs to 50"],
  ["set follow to true", "change the follow in src/lib.rs to true"],
  ["set days to 7", "change the days in src/client.py to 7"],
  ["change metric to imperial", "more than once"],
  ["rename title to heading", "rename title to heading in FILE"],
  ["rename get to load", "rename get to load in FILE"],
  ["rename path to root", "rename path to root in FILE"],
  ["update clap to 4.6", "no place that gives `clap` a value"],
  ['create README.md with "new"', "exists already"],
  ["write a README with install instructions", "create FILE"],
  ["create test/foo.rs with tests for lib.rs", "create FILE"],
  ["which functions don't have tests?", "I can't do that"],
  ["explain the error: borrow of moved value: `path`", "where does"],
  ["move Header.tsx to src/layout", 'change "OLD" to "NEW"'],
])("%s: nothing is changed", async (request, says) => {
  const { text, asked } = await session.ask(request);
  expect(text).toContain(says);
  expect(asked).toEqual([]);
  for (const [path, content] of Object.entries(files)) expect(await read(path)).toBe(content);
});

test("a number is changed as a whole, and a name only in code", async () => {
  await session.ask("change 8px to 12px");
  await session.ask("change TIMEOUT to 20");
  await session.ask("rename fetch_weather to get_weather");
  expect(await read("src/ui/header.css")).toContain("padding: 18px 12px;");
  expect(await read("src/client.py")).toContain("TIMEOUT = 20\n\n\ndef get_weather(city");
  expect(await read("README.md")).toBe(files["README.md"] ?? "");
});

test("an overview is asked for in many words", async () => {
  for (const request of ["summarise this repo for me", "describe the project", "what is in here?"])
    expect((await session.ask(request)).text).toContain("README.md");
});

test("parts of a sentence are answered one after another", async () => {
  const { text } = await session.ask("what does this project do and who wrote this");
  expect(text).toContain("**linefind**");
  expect(text).toContain("**who wrote this**");
  const { text: other } = await session.ask("find TODO and fix them");
  expect(other).toContain("I found no TODO, FIXME");
  expect(other).toContain("I can't do that");
});

test("a file is deleted by its name alone, in whatever folder it is", async () => {
  const { asked } = await session.ask("delete Header.tsx");
  expect(asked).toEqual(["rm src/ui/Header.tsx"]);
  expect(await Bun.file(`${session.folder}/src/ui/Header.tsx`).exists()).toBe(false);
});
