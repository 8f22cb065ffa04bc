/** A program that is killed while a command runs, or while it rewinds one, loses and tears nothing. */

import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { fileChangeSchema } from "../../src/protocol/entry.ts";
import { entryOf, removeWorkspaces, testWorkspace } from "../snapshots/workspace.ts";

afterAll(removeWorkspaces);

const prepare =
  "mkdir -p d/in g m empty; for f in a gone d/in/1 d/in/2 f g/1 m/1; do echo before > $f; done; " +
  "head -c 3000000 /dev/urandom > large; chmod 640 a";
const command =
  "echo after > a && rm -r gone d f g empty && mkdir -p f new/deep && echo after > f/1 && echo after > g && " +
  "echo after > new/deep/1 && chmod 700 m && echo after > m/2 && ln -s a link && echo > large";

/** `killAt`: the number of the change to the file system before which it is killed. */
async function killedAt(killAt: number) {
  const at = testWorkspace();
  at.sh(prepare);
  const before = at.state();
  const words = [join(import.meta.dir, "killed-command.ts"), at.root, at.own, command, `${killAt}`];
  const child = Bun.spawn([process.execPath, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const out = await child.stdout.text();
  await child.exited;
  const isChanged = !Bun.deepEquals(at.state(), before);
  const next = at.session();
  const left = await next.settle();
  const log = join(at.own, "log.json");
  const isLogged = existsSync(log);
  const text = isLogged ? readFileSync(log, "utf8") : "[]";
  const logged = z.array(fileChangeSchema).parse(JSON.parse(text));
  const undo = [entryOf(logged), entryOf(left.files)];
  await at.rewind(undo, [], true);
  const after = at.state();
  await at.rewind([], undo, true);
  await next.close();
  return { out, before, after, redone: at.state(), left, isChanged, isLogged };
}

/** More steps for a thorough test: KILLS=200 bun test test/faults */
const most = Number(process.env["KILLS"] ?? 8);

test("at any of its steps", async () => {
  const whole = await killedAt(0);
  const [, ended = 0, logged = 0, rewound = 0] = z.array(z.number()).parse(JSON.parse(whole.out));
  expect(whole.after).toEqual(whole.before);
  const stride = Math.max(1, Math.floor(rewound / most));
  const seen = { nothing: 0, changed: 0, logged: 0 };
  const check = async (at: number): Promise<void> => {
    const { before, after, redone, left, isChanged, isLogged } = await killedAt(at);
    expect([at, after]).toEqual([at, before]);
    if (isChanged && (isLogged || left.files.length > 0))
      expect([at, redone]).toEqual([at, whole.redone]);
    if (isChanged && at <= ended && !isLogged) expect(left.told.join()).toContain("ended abruptly");
    seen[isLogged ? "logged" : isChanged ? "changed" : "nothing"] += 1;
  };
  for (let at = 1; at <= rewound; at += 4 * stride)
    await Promise.all([0, 1, 2, 3].map((more) => check(at + more * stride)));
  expect(logged).toBeGreaterThan(0);
  expect(Math.min(seen.nothing, seen.logged)).toBeGreaterThan(0);
});
