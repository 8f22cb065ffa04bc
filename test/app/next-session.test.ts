/** A session follows another on the same screen, with what was picked for it. */

import { afterAll, expect, spyOn, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { say, startFakeApi } from "../fake-api/index.ts";
import { idle, program } from "../ui/program.ts";

const on = await program("next-session");
afterAll(on.remove);

const answered = (text: string) => (screen: string) => screen.includes(text) && idle.test(screen);

test("a session that is gone when it is chosen leaves the one before, with the reason", async () => {
  const terminal = await on.open({ args: ["--offline"] });
  await terminal.send("/fork", answered("There is nothing to fork yet."));
  await terminal.send("what can you do?", answered("fixed rules"));
  await terminal.send("/new", /Last here +what can you do\?/);
  await terminal.send("who are you?", answered("❯ who are you?"));
  await terminal.send("/sessions", /what can you do\?[^]* KB/);
  const logs = new Bun.Glob("home/sessions/*/*.jsonl");
  for await (const log of logs.scan(on.root))
    if (!(await Bun.file(join(on.root, log)).text()).includes("who are you?"))
      await rm(join(on.root, log));
  await terminal.send("what can", answered("No session of this folder is called"));
  expect(terminal.screen()).toContain("❯ who are you?");
});

test("a pasted key is used until the end, with a model of its provider, and neither shown nor stored", async () => {
  const key = "sk-ant-secret-5309";
  const api = startFakeApi({ key });
  api.next(say("From Claude."));
  const env = { ANTHROPIC_BASE_URL: api.url };
  const terminal = await on.open({ args: ["--offline", "--model", "qwen"], env });
  await terminal.send("/connect", "no key in GROQ_API_KEY");
  await terminal.send("anthropic", "Anthropic API key");
  await terminal.paste(key);
  await terminal.waitFor("•".repeat(key.length));
  await terminal.hit("enter", /sonnet-5-5/);
  await terminal.send("hello", answered("From Claude."));
  expect(api.requests.at(-1)?.body?.model).toBe("claude-sonnet-5-5");
  api.next(say("From another."));
  await terminal.send("/connect", "no key in GROQ_API_KEY");
  await terminal.send("anthropic", "type a name or part of it");
  await terminal.send("haiku", /haiku-\S+ · /);
  await terminal.send("hello", answered("From another."));
  expect(api.requests.at(-1)?.body?.model).toContain("haiku");
  await terminal.send("!env", answered("PATH="));
  const texts = [terminal.output()];
  for await (const file of new Bun.Glob("home/**/*.jsonl").scan(on.root))
    texts.push(await Bun.file(join(on.root, file)).text());
  expect(texts.join()).toContain("From another.");
  expect(texts.join()).not.toContain(key);
  await api.stop();
});

test("a server of this machine is used with the model that was picked", async () => {
  const local = spyOn(globalThis, "fetch").mockImplementation(
    Object.assign(
      (url: string | URL | Request) =>
        String(url).startsWith("http://localhost:11434/")
          ? Promise.resolve(Response.json({ data: [{ id: "tiny" }] }))
          : Promise.reject(new Error("refused")),
      { preconnect: () => undefined },
    ),
  );
  const terminal = await on.open({ args: ["--offline"] });
  expect(terminal.screen()).toContain("Running here: Ollama (tiny); /connect switches.");
  await terminal.send("/connect", "answers at localhost:11434");
  await terminal.send("ollama", "Ollama at http://localhost:11434/v1");
  await terminal.hit("enter", /tiny · /);
  local.mockRestore();
});

test("a setting that needs a new start is used at once, and text typed meanwhile is still there", async () => {
  const terminal = await on.open({ args: ["--offline"] });
  const opened = (): number => terminal.output().split("\x1b[?1049h").length;
  const before = opened();
  await terminal.send("!until [ -e go ]; do sleep 0.05; done", "Running");
  await terminal.send("/settings", "Enter change");
  await terminal.send("notifyBy", "Enter select");
  await terminal.send("osc9", /notifyBy +osc9/);
  await terminal.hit("escape", (now) => !now.includes("Enter change"));
  await terminal.type("typed meanwhile");
  await terminal.waitFor("❯ typed meanwhile");
  await Bun.write(join(on.folder, "go"), "");
  await terminal.waitFor(() => opened() > before);
  await terminal.type(" and after");
  await terminal.waitFor("❯ typed meanwhile and after");
  await terminal.hit("ctrl+u", idle);
  await terminal.send("/settings", "Enter change");
  await terminal.type("notifyBy");
  await terminal.waitFor(/notifyBy +osc9/);
});
