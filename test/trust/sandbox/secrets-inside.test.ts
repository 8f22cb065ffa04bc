/** What a confined command must not take with it: keys of the kernel, tokens of the environment. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leave, room, temporaryFolder, type Room } from "../../tools/room.ts";
import { runAsOne } from "../one-command.ts";
import { sandboxHere } from "../sandbox-here.ts";

afterAll(leave);

const tokens = {
  GITHUB_TOKEN: "secret-1",
  AWS_SECRET_ACCESS_KEY: "secret-3",
  DB_PASSWORD: "secret-4",
  CLIENT_SECRET: "secret-5",
  PGPASSWORD: "secret-6",
  MY_CREDENTIALS: "secret-7",
  MY_PASSPHRASE: "secret-8",
  // By what they hold.
  DATABASE_URL: "postgres://user:secret-pw@db.example.com/x",
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
  let at: Room;
  beforeAll(async () => {
    const childEnv = { PATH: process.env["PATH"] ?? "", ...tokens, ...kept };
    const HOME = temporaryFolder();
    at = await room({ mode: "auto", home: HOME, childEnv: { ...childEnv, HOME } });
  });

  test("no token of the environment is seen", async () => {
    const said = await at.bash("touch x; printenv; cat /proc/self/environ");
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
        const [home, keys, workspace] = [join(top, "home"), join(top, "keys"), join(top, "ws")];
        const names = ["own", "ssh", "gh", "aws"];
        for (const folder of [
          join(home, ".config"),
          workspace,
          ...names.map((name) => join(keys, name)),
        ])
          mkdirSync(folder, { recursive: true });
        for (const name of names) writeFileSync(join(keys, name, "token"), "secret-token\n");
        writeFileSync(join(top, "ordinary.txt"), "shown\n");
        symlinkSync(join(keys, "ssh"), join(home, ".ssh"));
        symlinkSync(join(keys, "gh"), join(home, ".config/gh"));
        symlinkSync(join(keys, "aws"), join(top, "second"));
        symlinkSync(join(top, "second"), join(home, ".aws"));
        const ownFolder = isApart ? join(keys, "own") : join(home, ".mini-claude");
        if (!isApart) symlinkSync(join(keys, "own"), ownFolder);
        const linked = await room({
          mode: "auto",
          workspace,
          home,
          ownFolder,
          resultsDir: join(ownFolder, "tool-results"),
          childEnv: { PATH: process.env["PATH"] ?? "", HOME: home },
        });
        writeFileSync(
          join(workspace, "show.sh"),
          `cat ${top}/ordinary.txt ${keys}/*/token; ls ${keys}/*`,
        );
        const said = await linked.bash("sh show.sh 2>&1");
        expect(said).toStartWith("shown\n");
        expect(said).not.toMatch(/secret-token|^token/m);
        await linked.box.close();
      } finally {
        rmSync(elsewhere, { recursive: true, force: true });
      }
    },
  );

  test("the kernel's keys and virtual machines are out of reach, ordinary sockets are not", async () => {
    const calls = [
      "248 if x86 else 217, b'user', b'x', b'y', 1, -3",
      "249 if x86 else 218, b'user', b'x', 0, -3",
      "250 if x86 else 219, 0, -3, 0",
      "250 if x86 else 219, 11, -4, 0, 0",
      "250 if x86 else 219, 1, 0",
      // By another number.
      "(0x40000000 if x86 else 0) + (250 if x86 else 219), 1, 0",
      // A socket to virtual machines, and one of a kind that is not known before.
      "41 if x86 else 198, 40, 1, 0",
      "425, 8, b' ' * 120",
    ];
    const script = [
      "import ctypes, os, platform, socket",
      "x86 = platform.machine() == 'x86_64'",
      "c = ctypes.CDLL(None, use_errno=True)",
      "print([socket.socket(f).family.value for f in (1, 2, 10)])",
      ...calls.map((args) => `print(c.syscall(${args}), os.strerror(ctypes.get_errno()))`),
    ];
    at.put("calls.py", script.join("\n"));
    const refused = calls.map(() => "-1 Operation not permitted");
    expect((await at.bash("python3 calls.py")).split("\n")).toEqual(["[1, 2, 10]", ...refused]);
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
    for (const [line, said] of await runAsOne(lines, at.bash)) {
      expect([line, said]).toEqual([line, expect.stringMatching(/(?:^|\n)1\n(?:2755|2755\n\d+)$/)]);
      expect([line, said]).toEqual([line, expect.not.stringMatching(/\n[4567]\d{3}(?:\n|$)/)]);
    }
  });
});
