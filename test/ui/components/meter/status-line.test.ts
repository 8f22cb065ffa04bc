/** The user's own line below the meter. */

import { afterAll, expect, jest, onTestFinished, test } from "bun:test";
import { join } from "node:path";
import { makeTheme } from "../../../../src/ui/theme.ts";
import { Builder, call, rules } from "../../../context/build.ts";
import { makeReport } from "../../../facts.ts";
import { program } from "../../program.ts";
import { key, stage } from "../../stage.ts";

const on = await program("status");
afterAll(on.remove);
const env = {
  ANTHROPIC_API_KEY: "sk-secret-of-the-user",
  ANTHROPIC_BASE_URL: "http://localhost:9",
};

test("a command of the settings has no keys, and its line is shown", async () => {
  const found = join(on.root, "env.txt");
  const command = `env >"${found}"; printf '\\033[32mhello\\033[0m \\033[2Jfrom me\\n'`;
  const settings = { statusLine: { type: "command", command } };
  await Bun.write(join(on.root, "home", "settings.json"), JSON.stringify(settings));
  const pty = await on.open({ env, quickMs: 300 });
  await pty.waitFor(/ of 9.*\n +hello from me/);
  await pty.close();
  expect(await Bun.file(found).text()).not.toContain("sk-secret");
});

test("it runs again when the meter changes, however slow it is, and not for a key or the clock", async () => {
  jest.useFakeTimers();
  onTestFinished(() => void jest.useRealTimers());
  const inputs: unknown[] = [];
  const on = stage(new Builder(), {
    services: {
      statusLine: async (input) => {
        on.wait(1_000);
        return [`run ${inputs.push(input)}`];
      },
    },
  });
  const later = async (): Promise<string> => {
    on.rows(80, 24);
    jest.advanceTimersByTime(300);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    return Bun.stripANSI(on.rows(80, 24).at(-1) ?? "").trim();
  };
  expect(await later()).toBe("run 1");
  on.controller.press(key("t", "t"));
  for (let count = 0; count < 5; count++) expect(await later()).toBe("run 1");
  on.store.take({ type: "mode", mode: "plan" });
  expect(await later()).toBe("run 2");
  expect(inputs[1]).toMatchObject({ permission_mode: "plan" });
});

test("it is told of the session, the calls, what they cost and changed, and the meter", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const on = new Builder();
  on.user("edit it");
  for (const id of ["a", "b", "c", "d"]) on.step(id, "some text ".repeat(2_000));
  const usage = { input: 23_000, cacheRead: 4_000, cacheWrite: 0, output: 25 };
  on.answer([call("e", "Edit", { file_path: "/w/a.ts" })], { usage });
  const diff = "--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,3 @@\n same\n-old\n+new\n+more\n";
  on.add(makeReport({ toolUse: "e", tool: "Edit", diff }));
  const statusLine = async (input: unknown): Promise<string[]> => {
    resolve(input);
    return [];
  };
  const model = "claude-sonnet-5-5";
  stage(on, { rules: { ...rules, model }, services: { statusLine } }).rows(80, 24);
  expect(await promise).toMatchSnapshot();
});

test("of what it prints, colors are kept and nothing else", async () => {
  const printed = [
    "\x1b[31mred\x1b[0m \x1b[38;2;1;2;3mrgb \x1b[5mblinks\x1b[8mhides",
    "\x1b[2J\x1b[1;1Hmoved\x1b]0;title\x07",
  ];
  for (const name of ["dark", "none"] as const) {
    const drawn = Promise.withResolvers<void>();
    const statusLine = async (): Promise<string[]> => printed;
    const on = stage(new Builder(), { theme: makeTheme(name, 256), services: { statusLine } });
    on.store.subscribe(drawn.resolve);
    on.rows(80, 24);
    await drawn.promise;
    const [line = "", moved = ""] = on.rows(80, 24).slice(-2);
    expect(Bun.stripANSI(line)).toContain("red rgb blinkshides");
    expect(Bun.stripANSI(moved).trim()).toBe("moved");
    for (const color of ["\x1b[31m", "\x1b[38;2;1;2;3m"])
      expect(line.includes(color)).toBe(name === "dark");
    for (const code of ["\x1b[5m", "\x1b[8m", "\x1b[2J", "\x1b]"])
      expect(line + moved).not.toContain(code);
  }
});
