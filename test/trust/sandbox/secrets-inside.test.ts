/** What a confined command must not take with it: keys of the kernel, tokens of the environment. */

import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leave, room, temporaryFolder } from "../../tools/room.ts";
import { sandboxHere } from "../sandbox-here.ts";

afterAll(leave);

const tokens = {
  GITHUB_TOKEN: "secret-1",
  NPM_TOKEN: "secret-2",
  AWS_SECRET_ACCESS_KEY: "secret-3",
  DB_PASSWORD: "secret-4",
  STRIPE_API_KEY: "secret-5",
  PGPASSWORD: "secret-6",
  MY_CREDENTIALS: "secret-7",
  MY_PASSPHRASE: "secret-8",
  // By what they hold.
  DATABASE_URL: "postgres://user:secret-pw@db.example.com/x",
  BROKER: "amqp://guest:secret-pw@localhost",
  SENTRY_DSN: "https://secret-dsn",
  BILLING: "sk_live_secret-0123456789",
  PAYLOAD: "-----BEGIN RSA PRIVATE KEY-----secret-key",
};

const kept = {
  TOKENIZER: "kept",
  HOMEPAGE: "https://example.com/@me",
  KEYBOARD: "us",
  REMOTE: "git@github.com:a/b",
  HTTP_PROXY: "http://me:pw@proxy:8080",
};

describe.skipIf(!sandboxHere)("in the sandbox", () => {
  async function run(command: string): Promise<string> {
    const childEnv = { PATH: process.env["PATH"] ?? "", ...tokens, ...kept };
    const HOME = temporaryFolder();
    const at = await room({ mode: "auto", home: HOME, childEnv: { ...childEnv, HOME } });
    return at.bash(command);
  }

  test("no token of the environment is seen", async () => {
    const said = await run("touch x; printenv; cat /proc/self/environ");
    expect(said).not.toContain("secret-");
    for (const [name, value] of Object.entries(kept)) expect(said).toContain(`${name}=${value}`);
  });

  test.each([
    ["our own folder", "own"],
    ["our own folder, by a link", ".mini-claude"],
    ["keys behind a link", ".ssh"],
    ["keys behind a link further down", ".config/gh"],
    ["keys behind two links", ".aws"],
  ])("%s outside of the home is hidden", async (_name, place) => {
    // Not in /tmp, of which a command has its own.
    const elsewhere = mkdtempSync("/var/tmp/elsewhere-");
    const top = realpathSync(elsewhere);
    try {
      const home = join(top, "home");
      const keys = join(top, "keys");
      for (const folder of [join(keys, "tool-results"), join(home, ".config"), join(top, "ws")])
        mkdirSync(folder, { recursive: true });
      writeFileSync(join(keys, "tokens.json"), "secret-token");
      writeFileSync(join(top, "ordinary.txt"), "shown");
      symlinkSync(keys, join(top, "second"));
      if (place !== "own")
        symlinkSync(place === ".aws" ? join(top, "second") : keys, join(home, place));
      const isOwn = place === "own" || place === ".mini-claude";
      const ownFolder = place === "own" ? keys : join(home, ".mini-claude");
      const at = await room({
        mode: "auto",
        workspace: join(top, "ws"),
        home,
        ownFolder,
        resultsDir: isOwn ? join(ownFolder, "tool-results") : join(top, "results"),
        childEnv: { PATH: process.env["PATH"] ?? "", HOME: home },
      });
      expect(await at.bash(`python3 -c 'print(open("${top}/ordinary.txt").read())'`)).toBe("shown");
      const said = await at.bash(`python3 -c 'print(open("${keys}/tokens.json").read())'`);
      expect(said).not.toContain("secret-token");
      expect(said).toContain("No such file");
      await at.box.close();
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });

  test.each([
    ["add_key", "248 if m == 'x86_64' else 217, b'user', b'x', b'y', 1, -3"],
    ["request_key", "249 if m == 'x86_64' else 218, b'user', b'x', 0, -3"],
    ["keyctl get", "250 if m == 'x86_64' else 219, 0, -3, 0"],
    ["keyctl read", "250 if m == 'x86_64' else 219, 11, -4, 0, 0"],
    ["keyctl join", "250 if m == 'x86_64' else 219, 1, 0"],
    [
      "keyctl by another number",
      "(0x40000000 if m == 'x86_64' else 0) + (250 if m == 'x86_64' else 219), 1, 0",
    ],
    ["a socket to virtual machines", "41 if m == 'x86_64' else 198, 40, 1, 0"],
    ["one that cannot be told", "425, 8, b' ' * 120"],
  ])("the kernel's keys and virtual machines are out of reach: %s", async (_name, args) => {
    const code =
      "import ctypes, os, platform; m = platform.machine(); " +
      "c = ctypes.CDLL(None, use_errno=True); " +
      `r = c.syscall(${args}); print(r, os.strerror(ctypes.get_errno()))`;
    expect(await run(`touch x; python3 -c "${code}"`)).toBe("-1 Operation not permitted");
  });

  test.each([
    ["chmod", "chmod u+s f"],
    ["install", "install -m 4755 f g"],
    ["chmod(2)", "os.chmod('f', 0o4755)"],
    ["fchmod(2)", "os.fchmod(os.open('f', os.O_RDWR), 0o4755)"],
    ["fchmodat(2)", "os.chmod('f', 0o4755, dir_fd=os.open('.', os.O_RDONLY))"],
    [
      "fchmodat2(2)",
      "import ctypes; ctypes.CDLL(None).syscall(452, -100, b'f', 0o4755, 0) and exit(1)",
    ],
  ])("no file becomes one that others run as the user: %s", async (_name, how) => {
    const command =
      how.startsWith("os.") || how.startsWith("import") ? `python3 -c "import os; ${how}"` : how;
    const said = await run(
      `umask 022; cp /bin/true f; ${command}; echo $?; chmod 2755 f; stat -c %a *`,
    );
    expect(said).toMatch(/(?:^|\n)1\n(?:2755|2755\n\d+)$/);
    expect(said).not.toMatch(/\n[4567]\d{3}(?:\n|$)/);
  });

  test("ordinary sockets are not", async () => {
    const code = "import socket; print([socket.socket(f).family.value for f in (1, 2, 10)])";
    expect(await run(`touch x; python3 -c "${code}"`)).toBe("[1, 2, 10]");
  });
});
