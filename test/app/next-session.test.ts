/** What follows a session on the same terminal. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connected, openNext } from "../../src/app/interactive.ts";
import { parseFlags } from "../../src/config/flags.ts";
import { pathsFor, type Paths } from "../../src/config/paths.ts";
import { defaultSettings, noConsent } from "../../src/config/settings.ts";
import { createLog, type LogStore } from "../../src/log/store.ts";
import type { StartOptions } from "../../src/run/start.ts";
import { savedSession } from "../saved-session.ts";

let root = "";
let paths: Paths;
const open: LogStore[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "next-session-"));
  paths = pathsFor({ HOME: root, MINI_CLAUDE_HOME: join(root, "home") }, root);
});
afterEach(async () => {
  for (const log of open.splice(0)) await log.close();
  await rm(root, { recursive: true, force: true });
});

/** A session on disk, with a prompt; closed. */
const made = (name: string, prompt?: string): Promise<LogStore> =>
  savedSession(paths, name, prompt);

const next = async (what: Parameters<typeof openNext>[0], closed: LogStore) => {
  const opened = await openNext(what, closed, paths);
  open.push(opened.log);
  return opened;
};

const pasted = { kind: "provider", provider: "anthropic", key: "k", model: null } as const;

describe("after a session", () => {
  test("comes a new one, another one, or the same", async () => {
    const closed = await made("2026-a");
    await made("2027-b");
    expect((await next({ kind: "new" }, closed)).log.path).toEqual([]);
    const other = await next({ kind: "session", session: "2027-b" }, closed);
    expect(other).toMatchObject({ log: { session: "2027-b" }, notices: [] });
    const same = await next(pasted, closed);
    expect(same).toMatchObject({ log: { session: "2026-a" }, notices: [] });
  });

  test("comes its copy, with a title if there is one", async () => {
    const closed = await made("2026-a");
    const fork = await next({ kind: "fork", title: "try it" }, closed);
    expect(fork.log.path.at(-1)).toMatchObject({ kind: "title", text: "try it" });
    expect(fork.notices).toEqual(["Forked from 2026-a, which is unchanged."]);
    expect((await next({ kind: "fork", title: "" }, closed)).log.path).toHaveLength(2);
  });

  test("comes the same one when the other cannot be opened, with the reason", async () => {
    const closed = await made("2026-a");
    const opened = await next({ kind: "session", session: "2099" }, closed);
    expect(opened.log.session).toBe("2026-a");
    expect(opened.notices).toEqual([expect.stringContaining("2099")]);
    await opened.log.close();
    const empty = createLog(paths.projectSessions, "empty");
    await empty.close();
    const fork = await next({ kind: "fork", title: "" }, empty);
    expect(fork.notices).toEqual(["There is nothing to fork yet."]);
    expect(fork.log.path).toEqual([]);
  });
});

describe("what was picked applies until the end", () => {
  const start = (model: string): StartOptions => ({
    flags: parseFlags([]),
    settings: { ...defaultSettings, model, baseUrl: "http://old" },
    consent: noConsent,
    unused: [],
    sources: new Map(),
    debugLog: undefined,
    requestedModel: undefined,
    notices: [],
    paths,
    env: { PATH: "/bin" },
    cwd: root,
    project: { root, folder: root, isTrusted: true },
  });
  const after = (picked: Parameters<typeof connected>[1], model = "claude-opus-5-5") =>
    connected(start(model), picked);

  test("a server with its model", () => {
    const { settings, requestedModel } = after({
      kind: "server",
      baseUrl: "http://new",
      model: "q",
    });
    expect(settings).toMatchObject({ provider: "openai", baseUrl: "http://new", model: "q" });
    expect(requestedModel).toBe("q");
  });

  test("a key, with a model that Anthropic knows", () => {
    const { settings, env, requestedModel } = after(pasted);
    expect(settings).toMatchObject({ provider: "anthropic", model: "claude-opus-5-5" });
    expect(settings.baseUrl).toBeUndefined();
    expect(env).toEqual({ PATH: "/bin", ANTHROPIC_API_KEY: "k" });
    expect(requestedModel).toBe("claude-opus-5-5");
    expect(after(pasted, "qwen").requestedModel).toBe(defaultSettings.model);
  });

  test("another provider, by the key that was pasted for it", () => {
    const picked = { kind: "provider", provider: "openrouter", key: "k", model: "qwen" } as const;
    const { settings, env, requestedModel } = after(picked);
    expect(settings).toMatchObject({ provider: "openrouter", model: "qwen" });
    expect(env).toEqual({ PATH: "/bin", OPENROUTER_API_KEY: "k" });
    expect(requestedModel).toBe("qwen");
  });

  test("the next session takes changed settings; a new one keeps the old", () => {
    const settings = { ...defaultSettings, model: "m" };
    expect(after({ kind: "settings", settings })).toMatchObject({ settings, requestedModel: "m" });
    expect(after({ kind: "new" })).toEqual(start("claude-opus-5-5"));
  });
});
