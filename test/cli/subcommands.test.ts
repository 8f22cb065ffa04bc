import { afterAll, expect, test } from "bun:test";
import { cli, resultOf, sandbox } from "../bin.ts";

const box = await sandbox("subcommands");
afterAll(box.remove);

test("a reader that leaves early is not an error", async () => {
  // The reader has gone before the program starts.
  const script = 'exec 3> >(:); wait $!; exec "$0" sessions --help >&3 3>&-';
  const child = Bun.spawn(["bash", "-c", script, cli], {
    cwd: box.project,
    env: box.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await resultOf(child)).toEqual({ code: 0, out: "", err: "" });
}, 60_000);
