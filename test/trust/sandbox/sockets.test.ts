/** Named sockets of the user's other programs cannot be reached from inside, wherever they are. */

import { afterAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { PermissionMode } from "../../../src/protocol/permission.ts";
import { leave, room } from "../../tools/room.ts";
import { sandboxHere } from "../sandbox-here.ts";

/** Neither the workspace nor hidden. */
const top = mkdtempSync("/var/tmp/sockets-");
/** A folder of the test in there. */
let elsewhere: string;

beforeEach(() => {
  elsewhere = mkdtempSync(join(top, "test-"));
});

afterAll(async () => {
  await leave();
  rmSync(top, { recursive: true, force: true });
});

async function listen(path: string, cwd?: string): Promise<void> {
  const before = process.cwd();
  if (cwd !== undefined) process.chdir(cwd);
  const server = createServer((client) => client.end("reached"));
  server.unref();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  process.chdir(before);
}

async function reach(path: string, mode: PermissionMode, how: "work" | "look" | "check") {
  const at = await room({ mode });
  const from = at.root;
  mkdirSync(join(from, "sub dir"));
  const full = path.startsWith("/") ? join(elsewhere, path) : join(from, path);
  await (path.startsWith("./") ? listen(path, from) : listen(full));
  const code = `const c=require("net").connect(process.argv[2]); c.on("data",(d)=>console.log(String(d))); c.on("error",(e)=>console.log(e.code))`;
  at.put("connect.cjs", code);
  at.put("package.json", JSON.stringify({ scripts: { test: `node connect.cjs '${full}'` } }));
  const command = {
    work: `node connect.cjs '${full}'`,
    look: `sed -n '1e node connect.cjs "${full}"' package.json`,
    check: "npm test --silent",
  }[how];
  expect(await at.review("Bash", { command })).toMatchObject({ verdict: "allow" });
  return at.bash(command);
}

describe.skipIf(!sandboxHere)("a socket", () => {
  test.each([
    ["dev.sock", "auto", "work"],
    ["./relative.sock", "auto", "work"],
    ["sub dir/x", "auto", "work"],
    ["/daemon.sock", "auto", "work"],
    ["dev.sock", "default", "look"],
    ["./relative.sock", "default", "look"],
    ["dev.sock", "default", "check"],
    ["/daemon.sock", "default", "check"],
    ["./relative.sock", "plan", "check"],
  ] as const)(
    "%s of another program, in mode %s, is not reached by a %s",
    async (path, mode, how) => {
      const said = await reach(path, mode, how);
      expect(said).toMatch(/EACCES|ENOENT|ECONNREFUSED|ENOTSOCK/);
      expect(said).not.toContain("reached");
    },
  );

  test("that goes while the sandbox starts keeps no command from running", async () => {
    const at = await room({ mode: "auto" });
    const path = join(elsewhere, "gone.sock");
    await listen(path);
    const { spawn } = Bun;
    const started = spyOn(Bun, "spawn").mockImplementation((...args: unknown[]) => {
      if (JSON.stringify(args).includes(path)) rmSync(elsewhere, { recursive: true, force: true });
      return Reflect.apply(spawn, Bun, args);
    });
    try {
      expect(await at.bash("echo ran >> log; cat log")).toBe("ran");
      expect(existsSync(elsewhere)).toBe(false);
    } finally {
      started.mockRestore();
    }
  });

  test("of a server in the sandbox answers the next approved command", async () => {
    const at = await room();
    at.put("serve.cjs", `require("net").createServer((c)=>c.end("mine")).listen("own.sock")`);
    at.put(
      "connect.cjs",
      `require("net").connect("own.sock").on("data",(d)=>console.log(String(d)))`,
    );
    const command =
      "node serve.cjs > /dev/null 2>&1 & while ! [ -e own.sock ]; do sleep 0.01; done";
    for (const [line, expected] of [
      [command, ""],
      ["node connect.cjs", "mine"],
    ] as const) {
      expect(await at.bash(line)).toContain(expected);
    }
  });
});
