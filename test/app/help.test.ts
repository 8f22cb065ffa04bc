/** `--help` of the program and of each subcommand. */

import { afterAll, expect, test } from "bun:test";
import { sandbox } from "../bin.ts";
import { inProcess } from "../in-process.ts";

const box = inProcess(await sandbox("help"));
afterAll(box.remove);

const { out: help } = await box.run(["--help"]);
const subcommands = [...help.matchAll(/^ {2}mini-claude ([a-z]+)\b/gm)].map(
  ([, name = ""]) => name,
);

test.each(
  subcommands.flatMap((name) => [
    [name, "--help"],
    [name, "-h"],
  ]),
)("%s %s prints how it is used, and does nothing else", async (name, flag) => {
  const { code, out, err } = await box.run([name, flag]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toStartWith(`mini-claude ${name}`);
});

test.each(["sessions", "import", "doctor", "trust", "auth", "update"])(
  "%s names an option that it does not know, in one sentence",
  async (name) => {
    const { code, err } = await box.run([name, ...(name === "auth" ? ["status"] : []), "--frob"]);
    expect([code, err]).toEqual([2, "mini-claude: Unknown option '--frob'. See --help.\n"]);
  },
);

test("mcp COMMAND --help prints the help of mcp; a server's own flags are the server's", async () => {
  expect((await box.run(["mcp", "list", "--help"])).out).toStartWith("mini-claude mcp add");
  const { out } = await box.run(["mcp", "add", "docs", "--", "serve", "--help"]);
  expect(out).toStartWith("Added docs");
});
