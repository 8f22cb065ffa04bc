/** What a confined command must not take with it: keys of the kernel, tokens of the environment. */

import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leave, room, temporaryFolder } from "../../tools/room.ts";
import { runAsOne } from "../one-command.ts";
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

  test.each([true, false])(
    "keys behind links, and our own folder, are hidden (%p)",
    async (isApart) => {
      // Not in /tmp, of which a command has its own.
      const elsewhere = mkdtempSync("/var/tmp/elsewhere-");
      const top = realpathSync(elsewhere);
      try {
        const home = join(top, "home");
        const names = ["own", "ssh", "gh", "aws"];
        for (const folder of [
          "keys/own/tool-results",
          "home/.config",
          "ws",
          "keys/ssh",
          "keys/gh",
          "keys/aws",
        ])
          mkdirSync(join(top, folder), { recursive: true });
        for (const name of names) writeFileSync(join(top, "keys", name, "token"), "secret-token");
        writeFileSync(join(top, "ordinary.txt"), "shown");
        symlinkSync(join(top, "keys/ssh"), join(home, ".ssh"));
        symlinkSync(join(top, "keys/gh"), join(home, ".config/gh"));
        symlinkSync(join(top, "keys/aws"), join(top, "second"));
        symlinkSync(join(top, "second"), join(home, ".aws"));
        const ownFolder = isApart ? join(top, "keys/own") : join(home, ".mini-claude");
        if (!isApart) symlinkSync(join(top, "keys/own"), ownFolder);
        const at = await room({
          mode: "auto",
          workspace: join(top, "ws"),
          home,
          ownFolder,
          resultsDir: join(ownFolder, "tool-results"),
          childEnv: { PATH: process.env["PATH"] ?? "", HOME: home },
        });
        const show = (path: string): string => `python3 -c 'print(open("${path}").read())' 2>&1`;
        const tokens = names.map((name) => show(join(top, "keys", name, "token")));
        const [[, first] = [], ...others] = await runAsOne(
          [show(join(top, "ordinary.txt")), ...tokens],
          at.bash,
        );
        expect(first).toBe("shown");
        for (const [line, said] of others)
          expect([line, said]).toEqual([line, expect.stringContaining("No such file")]);
        await at.box.close();
      } finally {
        rmSync(elsewhere, { recursive: true, force: true });
      }
    },
  );

  /** A line of Python that prints what a call of the kernel returns. */
  const callKernel = (args: string): string =>
    'python3 -c "import ctypes, os, platform; m = platform.machine(); ' +
    "c = ctypes.CDLL(None, use_errno=True); " +
    `r = c.syscall(${args}); print(r, os.strerror(ctypes.get_errno()))"`;

  test("the kernel's keys and virtual machines are out of reach, ordinary sockets are not", async () => {
    const calls = [
      "248 if m == 'x86_64' else 217, b'user', b'x', b'y', 1, -3",
      "249 if m == 'x86_64' else 218, b'user', b'x', 0, -3",
      "250 if m == 'x86_64' else 219, 0, -3, 0",
      "250 if m == 'x86_64' else 219, 11, -4, 0, 0",
      "250 if m == 'x86_64' else 219, 1, 0",
      // By another number.
      "(0x40000000 if m == 'x86_64' else 0) + (250 if m == 'x86_64' else 219), 1, 0",
      // A socket to virtual machines, and one of a kind that is not known before.
      "41 if m == 'x86_64' else 198, 40, 1, 0",
      "425, 8, b' ' * 120",
    ];
    const sockets =
      'python3 -c "import socket; print([socket.socket(f).family.value for f in (1, 2, 10)])"';
    const said = await runAsOne(["touch x", sockets, ...calls.map(callKernel)], run);
    expect(said.slice(1).map(([, one]) => one)).toEqual([
      "[1, 2, 10]",
      ...calls.map(() => "-1 Operation not permitted"),
    ]);
  });

  test("no file becomes one that others run as the user", async () => {
    const python = (code: string): string => `python3 -c "import os; ${code}"`;
    const ways = [
      "chmod u+s f",
      "install -m 4755 f g",
      python("os.chmod('f', 0o4755)"),
      python("os.fchmod(os.open('f', os.O_RDWR), 0o4755)"),
      python("os.chmod('f', 0o4755, dir_fd=os.open('.', os.O_RDONLY))"),
      python("import ctypes; ctypes.CDLL(None).syscall(452, -100, b'f', 0o4755, 0) and exit(1)"),
    ];
    const lines = ways.map(
      (way, at) =>
        `mkdir d${at}; cd d${at}; umask 022; cp /bin/true f; (${way}) 2>&1; echo $?; chmod 2755 f; stat -c %a *`,
    );
    for (const [line, said] of await runAsOne(lines, run)) {
      expect([line, said]).toEqual([line, expect.stringMatching(/(?:^|\n)1\n(?:2755|2755\n\d+)$/)]);
      expect([line, said]).toEqual([line, expect.not.stringMatching(/\n[4567]\d{3}(?:\n|$)/)]);
    }
  });
});
