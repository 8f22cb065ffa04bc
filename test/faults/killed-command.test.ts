/** A program that is killed while it takes over what a command changed, or rewinds it, loses and tears nothing. */

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { Checkpoints } from "../../src/log/checkpoints.ts";
import { rewindFiles } from "../../src/log/rewind-files.ts";
import { fileChangeSchema } from "../../src/protocol/entry.ts";
import { recoverCommands } from "../../src/tools/undo/journal.ts";
import { layersHere } from "../trust/sandbox-here.ts";

const top = mkdtempSync(join(tmpdir(), "killed-"));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const prepare =
  "mkdir -p d/in g m dist; for f in a gone d/in/1 d/in/2 f g/1 m/1; do echo before > $f; done; " +
  "head -c 5000 /dev/zero > dist/large; echo dist/ > .gitignore";
const command =
  "echo after > a && rm -r gone d dist f g && mkdir -p f new/deep && echo after > f/1 && echo after > g && " +
  "echo after > new/deep/1 && chmod 700 m && echo after > m/2 && ln -s a link";

/** Names, modes and contents. */
const describeState = (root: string): string =>
  Bun.spawnSync(
    [
      "sh",
      "-c",
      "find . -printf '%p %y %m %l\n' | sort; find . -type f -exec sha256sum {} + | sort",
    ],
    {
      cwd: root,
    },
  ).stdout.toString();

let rounds = 0;

/** `killAt`: the number of the change to the file system before which it is killed. */
async function killedAt(killAt: number) {
  rounds += 1;
  const [root, own] = ["workspace", "own"].map((name) => join(top, `${rounds}`, name));
  if (root === undefined || own === undefined) throw new Error("unreachable");
  for (const folder of [root, own]) mkdirSync(folder, { recursive: true });
  Bun.spawnSync(["sh", "-c", prepare], { cwd: root });
  const before = describeState(root);
  const words = [join(import.meta.dir, "killed-command.ts"), root, own, command, `${killAt}`];
  const child = Bun.spawn([process.execPath, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const out = await child.stdout.text();
  await child.exited;
  const torn = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((name) => join(root, name))
    .filter((file) => /workspace\/(?:a|gone|d\/.*\d|f|g|m\/\d|new\/.*\d)$/.test(file))
    .filter(
      (file) => attemptText(file) !== null && !/^(?:before|after)\n$/.test(attemptText(file) ?? ""),
    );
  const left = await recoverCommands(own, [root]);
  const log = join(own, "log.json");
  const logged = existsSync(log)
    ? z.array(fileChangeSchema).parse(JSON.parse(readFileSync(log, "utf8")))
    : [];
  const undo = [logged, left.files].map((files) => ({
    id: "e",
    parent: null,
    at: "",
    type: "checkpoint" as const,
    toolUse: "t",
    files,
  }));
  const changed = describeState(root) !== before;
  await rewindFiles(new Checkpoints(join(own, "checkpoints")), { undo, redo: [] }, (path) => path);
  left.close();
  const layers = attempted(
    () => readdirSync(join(own, "layers"), { recursive: true, encoding: "utf8" }),
    [],
  );
  const isLogged = existsSync(log);
  return { out, before, after: describeState(root), torn, left, changed, isLogged, layers };
}

const attempted = <T>(take: () => T, otherwise: T): T => {
  try {
    return take();
  } catch {
    return otherwise;
  }
};
const attemptText = (file: string): string | null =>
  attempted(() => readFileSync(file, "utf8"), null);

/** More steps for a thorough test: KILLS=200 bun test test/faults */
const most = Number(process.env["KILLS"] ?? 8);

test.skipIf(!layersHere)("at any of its steps", async () => {
  const whole = await killedAt(0);
  const [, , logged = 0, rewound = 0] = z.array(z.number()).parse(JSON.parse(whole.out));
  expect(whole.after).toBe(whole.before);
  const stride = Math.max(1, Math.floor(rewound / most));
  const seen = { nothing: 0, changed: 0, logged: 0 };
  const check = async (at: number): Promise<void> => {
    const { before, after, torn, left, changed, layers, isLogged } = await killedAt(at);
    expect([at, torn]).toEqual([at, []]);
    expect([at, after]).toEqual([at, before]);
    // The folder of this process stays.
    expect([at, layers.filter((name) => name.includes("/"))]).toEqual([at, []]);
    if (at <= logged && changed && !isLogged)
      expect([at, left.told.join()]).toEqual([at, expect.stringContaining("can be rewound now")]);
    seen[isLogged ? "logged" : changed ? "changed" : "nothing"] += 1;
  };
  for (let at = 1; at <= rewound; at += 4 * stride)
    await Promise.all([0, 1, 2, 3].map((more) => check(at + more * stride)));
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
});
