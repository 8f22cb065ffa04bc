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

/** Sockets of another program: two names in the workspace, a relative one, and one elsewhere. */
async function reach(mode: PermissionMode, how: "work" | "look" | "check"): Promise<string> {
  const at = await room({ mode });
  mkdirSync(join(at.root, "sub dir"));
  const paths = [
    join(at.root, "dev.sock"),
    join(at.root, "sub dir/x"),
    join(at.root, "relative.sock"),
    join(elsewhere, "daemon.sock"),
  ];
  for (const path of paths)
    await (path.endsWith("relative.sock") ? listen("./relative.sock", at.root) : listen(path));
  const code = `for (const path of process.argv.slice(2)) { const c=require("net").connect(path); c.on("data",(d)=>console.log(String(d))); c.on("error",(e)=>console.log(e.code)) }`;
  at.put("connect.cjs", code);
  const line = (quote: string) =>
    ["node connect.cjs", ...paths.map((path) => quote + path + quote)].join(" ");
  at.put("Makefile", `test:\n\t@${line("'")}\n`);
  const command = {
    work: line("'"),
    look: `sed -n '1e ${line('"')}' Makefile`,
    check: "make test",
  }[how];
  expect(await at.review("Bash", { command })).toMatchObject({ verdict: "allow" });
  return at.bash(command);
}

describe.skipIf(!sandboxHere)("a socket", () => {
  test.each([
    ["auto", "work"],
    ["default", "look"],
    ["plan", "check"],
  ] as const)("of another program is not reached in mode %s by a %s", async (mode, how) => {
    const said = await reach(mode, how);
    expect(said.match(/EACCES|ENOENT|ECONNREFUSED|ENOTSOCK/g)).toHaveLength(4);
    expect(said).not.toContain("reached");
  });

  test("of another program is reached by a command that may reach every server", async () => {
    const at = await room();
    await listen(join(at.root, "dev.sock"));
    at.put("connect.cjs", `require("net").connect("dev.sock").pipe(process.stdout)`);
    const command = "bash -c 'exec 3<>/dev/tcp/127.0.0.1/9'; node connect.cjs";
    expect(await at.bash(command)).toContain("reached");
  });

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
