import { expect, test } from "bun:test";
import { join } from "node:path";
import { version } from "../../package.json";
import { checkForNewerVersion, newerVersionNotice } from "../../src/app/newer-version.ts";
import { testFolder } from "../folder.ts";

const folder = testFolder("newer");

const dayMs = 86_400_000;
let files = 0;

/** Looks with a registry that gives this answer. Returns the notice after it and the addresses asked. */
async function look(answer: () => Response, { nowMs = dayMs * 100, file = "", env = {} } = {}) {
  const at = file || join(folder, `${files++}.json`);
  const asked: string[] = [];
  const fetch = Object.assign(
    async (address: string | URL | Request) => {
      asked.push(String(address));
      return answer();
    },
    { preconnect: () => undefined },
  );
  await checkForNewerVersion({ file: at, env, nowMs, fetch });
  return { notice: newerVersionNotice(at), asked, file: at };
}

const latest = (tag: unknown) => () => Response.json({ latest: tag });

test("a newer version is named at the next start; the registry is asked once a day", async () => {
  const first = await look(latest("999.0.0"));
  expect(first.notice).toEqual(["mini-claude 999.0.0 is available: run mini-claude update"]);
  expect(first.asked).toEqual(["https://registry.npmjs.org/-/package/mini-claude/dist-tags"]);
  const { file } = first;
  expect((await look(latest(version), { file, nowMs: dayMs * 100.9 })).asked).toEqual([]);
  const own = { npm_config_registry: "http://127.0.0.1:4873/" };
  const next = await look(latest(version), { file, nowMs: dayMs * 101, env: own });
  expect(next.asked).toEqual(["http://127.0.0.1:4873/-/package/mini-claude/dist-tags"]);
  expect(next.notice).toEqual([]);
});

test.each([
  ["the same version", latest(version)],
  ["an older one", latest("0.0.1")],
  ["hostile words", latest("999.0.0 \u001b]0;owned\u0007")],
  ["another type", latest(7)],
  ["an error", () => new Response("no", { status: 404 })],
  ["no JSON", () => new Response("<html>")],
  ["an answer without end", () => new Response("x".repeat(1_000_000))],
])("%s says nothing", async (_, answer) => {
  expect((await look(answer)).notice).toEqual([]);
});

test("nothing was found out yet", () => {
  expect(newerVersionNotice(join(folder, "none.json"))).toEqual([]);
});
