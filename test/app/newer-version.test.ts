/** The daily check for a newer version, and the notice of the next start. */

import { afterAll, afterEach, expect, mock, spyOn, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { program } from "../ui/program.ts";

const on = await program("newer");
afterAll(on.remove);
afterEach(() => void mock.restore());

const file = join(on.root, "home/update.json");
const installedAt = "/usr/local/lib/node_modules/mini-claude/bin/mini-claude";

/** Starts with what the last check found, and lets the check after the start run. */
async function start(
  answer: () => Response,
  { found = "", env = {}, args = [] as string[], at = installedAt } = {},
) {
  rmSync(file, { force: true });
  if (found !== "") await Bun.write(file, found);
  const asked: string[] = [];
  let isChecking = false;
  const fetch = async (address: string | URL | Request) => {
    // Checks of programs that other tests started in this process may come due at any time.
    if (!isChecking || !String(address).endsWith("/dist-tags")) throw new Error("refused");
    asked.push(String(address));
    return answer();
  };
  spyOn(globalThis, "fetch").mockImplementation(
    Object.assign(fetch, { preconnect: () => undefined }),
  );
  const checks: (() => void)[] = [];
  const { setTimeout: later } = globalThis;
  const held = (run: () => void, ms?: number) => {
    if (ms !== 3_000) return later(run, ms);
    checks.push(run);
    return later(() => undefined, 0);
  };
  spyOn(globalThis, "setTimeout").mockImplementation(Object.assign(held, later));
  const terminal = await on.open({ env, args, installedAt: at });
  const notice = /mini-claude \S+ is available.*/.exec(terminal.screen())?.[0] ?? "";
  isChecking = true;
  for (const check of checks) check();
  isChecking = false;
  const read = () => readFileSync(file, "utf8");
  while (asked.length > 0 && !((await Bun.file(file).exists()) && read() !== found))
    await Bun.sleep(1);
  await terminal.close();
  mock.restore();
  return { notice, asked, latest: asked.length > 0 && JSON.parse(read()).latest };
}

const latest = (tag: unknown) => () => Response.json({ latest: tag });
const found = (days: number, tag: string) =>
  JSON.stringify({ checkedMs: Date.now() - days * 86_400_000, latest: tag });

test("the registry is asked once a day, and a newer version is named at the next start", async () => {
  const first = await start(latest("999.0.0"));
  const asked = ["https://registry.npmjs.org/-/package/mini-claude/dist-tags"];
  expect(first).toEqual({ notice: "", asked, latest: "999.0.0" });
  const next = await start(latest(version), { found: found(0.99, "999.0.0") });
  expect(next.notice).toStartWith("mini-claude 999.0.0 is available: run mini-claude update");
  expect(next.asked).toEqual([]);
  const env = { npm_config_registry: "http://127.0.0.1:4873/" };
  const later = await start(latest(version), { found: found(1.01, version), env });
  expect(later).toEqual({
    notice: "",
    asked: ["http://127.0.0.1:4873/-/package/mini-claude/dist-tags"],
    latest: version,
  });
});

test("neither a checkout nor the offline model asks, nor who turned it off", async () => {
  const off = { env: { MINI_CLAUDE_UPDATE_CHECK: "0" }, found: found(2, "999.0.0") };
  expect(await start(latest("999.0.0"), off)).toMatchObject({ notice: "", asked: [] });
  expect((await start(latest("999.0.0"), { at: "/usr/bin/bun" })).asked).toEqual([]);
  expect((await start(latest("999.0.0"), { args: ["--offline"] })).asked).toEqual([]);
});

test.each(["0.0.1", "999.0.0 \u001b]0;owned\u0007"])("%j is not announced", async (tag) => {
  expect((await start(latest(""), { found: found(0, tag) })).notice).toBe("");
});

test.each([
  ["another type", latest(7)],
  ["an error", () => Response.json({ latest: "999.0.0" }, { status: 404 })],
  ["no JSON", () => new Response("<html>")],
  ["an answer without end", () => new Response(`{"latest":"9.9.9"${" ".repeat(20_000)}}`)],
])("%s counts as an answer without a version", async (_, answer) => {
  expect((await start(answer)).latest).toBe("");
});
