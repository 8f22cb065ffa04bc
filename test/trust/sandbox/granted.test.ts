/** What an approved command may be given beyond the sandbox: hosts, and paths to write to. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { blockText, type ToolInput } from "../../../src/protocol/block.ts";
import { leave, quietRun, room, type Room } from "../../tools/room.ts";
import { eachPrints } from "../one-command.ts";
import { sandboxHere } from "../sandbox-here.ts";

const origin = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => new Response(`reached ${request.headers.get("host")}`),
});

afterAll(async () => {
  await origin.stop(true);
  await leave();
});

/** Every name resolves to this machine, as the tests have no network. */
const resolve = async () => ["127.0.0.1"];
const { port } = origin;

let at: Room;
beforeAll(async () => {
  at = await room({ resolve });
  at.put("get.js", client);
});

/** A program whose arguments do not show where it connects to. */
const client = `const proxy = new URL(process.env.HTTP_PROXY ?? "http://127.0.0.1:1");
require("http").get(
  {
    host: proxy.hostname,
    port: proxy.port,
    path: "http://" + process.argv[2] + ":${port}/",
    headers: { "proxy-authorization": "Basic " + btoa(proxy.username + ":" + proxy.password) },
  },
  (answer) => answer.pipe(process.stdout),
).on("error", console.error);
`;

let calls = 0;

const makeCall = (input: ToolInput) => {
  calls += 1;
  return { type: "tool_use", id: `g${calls}`, name: "Bash", input } as const;
};

/** The text of the question. */
async function asked(where: Room, input: ToolInput) {
  const review = await where.box.review(makeCall(input));
  if (review.verdict !== "ask") throw new Error(JSON.stringify(review));
  return review.ask;
}

const verdict = (input: ToolInput, where = at) => where.verdict("Bash", input);

describe.skipIf(!sandboxHere)("hosts", () => {
  const curl = (host: string) => `curl -sS http://${host}:${port}/; touch x`;

  test("a command reaches the host that the question names, and no other", async () => {
    const command = curl("allowed.test");
    expect((await asked(at, { command })).access).toBe(
      "Runs in the sandbox. It can reach allowed.test.",
    );
    const said = await at.bash(`${command}; node get.js other.test; bash -c 'exit 7'`);
    expect(said).toStartWith(`reached allowed.test:${port}`);
    expect(said).toContain(
      "[The sandbox refused connections: other.test is not allowed. To reach a public host",
    );
    expect(said).toContain("[exit code 7]");
  });

  test("the model can ask for hosts, which the question shows", async () => {
    const command = "bash work.sh";
    expect((await asked(at, { command })).access).toBeUndefined();
    const input = { command, hosts: ["https://Asked.test:80/", "*.more.test"] };
    expect(await asked(at, input)).toMatchObject({
      access: "Runs in the sandbox. It can reach asked.test and *.more.test.",
      rule: "exactly this command, reaching asked.test and *.more.test",
    });
    const script =
      "for host in asked.test x.more.test more.test; do node get.js $host; done;" +
      `for host in asked.test other.test; do curl -sp http://$host:${port}/; done`;
    const said = await at.script(script, input);
    expect(said.match(/reached [\w.]+/g)).toEqual([
      "reached asked.test",
      "reached x.more.test",
      "reached asked.test",
    ]);
    expect(said).toContain("other.test is not allowed.");
    expect(await at.script(script)).not.toContain("reached");
  });

  test("what is not a host is refused", async () => {
    for (const host of ["*", "*.com", "a b", "[::1]", "", "a..b", "-x\nb", "x/../y"])
      expect([host, await verdict({ command: "touch x", hosts: [host] })]).toEqual([
        host,
        "refuse",
      ]);
  });

  test("a rule for a domain lets commands connect unasked; one that denies it outranks every yes", async () => {
    const python = (host: string) =>
      `python3 -c "import urllib.request as u; print(u.urlopen('http://${host}:${port}').read())"`;
    const ruled = await room({
      resolve,
      rules: {
        allow: ["WebFetch(domain:allowed.test)"],
        deny: ["WebFetch(domain:evil.allowed.test)"],
      },
    });
    const command = `${python("sub.allowed.test")}; ${python("evil.allowed.test")}`;
    expect((await asked(ruled, { command })).access).toBeUndefined();
    const said = await ruled.bash(command);
    expect(said).toContain("reached sub.allowed.test");
    expect(said).toContain("evil.allowed.test is not allowed");
    const hosts = ["evil.allowed.test"];
    expect(await verdict({ command: "touch x", hosts }, ruled)).toBe("refuse");
    const all = await room({ resolve, rules: { allow: ["WebFetch"] } });
    expect(await all.bash(python("sub.allowed.test"))).not.toContain("reached sub");
  });

  test("a name that resolves to the local network is refused", async () => {
    const real = await room({});
    const hosts = ["allowed.test"];
    const said = await real.bash("touch x; curl -s http://127.0.0.1.nip.io/", { hosts });
    expect(said).toMatch(
      /127\.0\.0\.1\.nip\.io (?:has no address|resolves to an address of the local)/,
    );
    const { access } = await asked(real, { command: "node get.js", hosts: ["localhost:3000"] });
    expect(access).toBeUndefined();
  });

  test("nothing else leaves: names, addresses and the machine's own ports stay out of reach", async () => {
    const lines = [
      `curl -s --noproxy '*' http://127.0.0.1:${port}/`,
      `curl -s --noproxy '*' http://allowed.test:${port}/`,
      `curl -s -x '' http://127.0.0.1:${port}/`,
      `env -u HTTP_PROXY -u http_proxy curl -s http://127.0.0.1:${port}/`,
      `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && echo reached'`,
    ];
    const script = (lines: string) => at.script(lines, { hosts: ["allowed.test"] });
    await eachPrints(expect.not.stringContaining("reached"), lines, script);
  });

  test("signals, output and the working folder come through", async () => {
    const hosts = ["allowed.test"];
    // Files of Bun have no effect.
    at.put("bunfig.toml", 'preload = ["./evil.ts"]\n');
    at.put("evil.ts", "await Bun.write('pwned', '');\n");
    at.put(".env", "X=evil\n");
    expect(await at.bash("mkdir sub; cd sub; echo a; echo b >&2", { hosts })).toBe("a\nb");
    const command = 'touch y; pwd; echo "$BUN_BE_BUN$X"; cd ..; kill -9 $$';
    expect(await at.bash(command, { hosts })).toMatch(
      new RegExp(`^${join(at.root, "sub")}\n+\\[.*(?:exit code 137|SIGKILL)`),
    );
    const stop = new AbortController();
    const until = { signal: stop.signal, progress: () => stop.abort() };
    const late = { command: "touch y; echo begun; sleep 60", hosts };
    const { content } = await at.judged("Bash", late, until);
    expect(blockText(content)).toBe("begun\n[interrupted by the user]");
    expect(existsSync(join(at.root, "pwned"))).toBe(false);
  });

  test("behind a proxy of the machine the question says that any host can be reached", async () => {
    const PATH = process.env["PATH"] ?? "";
    const env = { PATH, HOME: join(at.root, "../home"), https_proxy: "http://proxy.corp:3128" };
    const proxied = await room({ resolve, childEnv: env });
    expect((await asked(proxied, { command: curl("allowed.test") })).access).toContain("any host");
  });
});

describe.skipIf(!sandboxHere)("paths", () => {
  let folder: string;
  beforeAll(() => {
    folder = join(at.outside, "folder");
    mkdirSync(folder);
    writeFileSync(join(at.outside, "file"), "before\n");
  });

  test("a folder and a file are writable for one run, and the question names them", async () => {
    const file = join(at.outside, "file");
    const command = `cd /; echo x > ${folder}/new; echo after > ${file}; echo x > ${at.outside}/beside`;
    expect(await at.bash(command)).toContain("with writable");
    expect(existsSync(join(folder, "new"))).toBe(false);
    const input = { command, writable: [folder, file] };
    expect(await asked(at, input)).toMatchObject({
      access: `Runs in the sandbox. It can write to ${folder} and ${file}.`,
      rule: `exactly this command, writing to ${folder} and ${file}`,
    });
    await at.bash(command, input);
    expect(readFileSync(join(folder, "new"), "utf8")).toBe("x\n");
    expect(readFileSync(file, "utf8")).toBe("after\n");
    expect(existsSync(join(at.outside, "beside"))).toBe(false);
    await at.bash(`rm ${folder}/new`);
    expect(existsSync(join(folder, "new"))).toBe(true);
  });

  test("a folder of the home is seen and written, with a warning if other programs read settings from it", async () => {
    const home = join(at.root, "../home");
    mkdirSync(join(home, "notes"));
    mkdirSync(join(home, ".config/tool"), { recursive: true });
    const notes = { command: "touch ~/notes/x && ls ~", writable: ["~/notes"] };
    expect((await asked(at, notes)).warning).toBeUndefined();
    expect(await at.bash(notes.command, notes)).toBe("notes");
    expect(existsSync(join(home, "notes/x"))).toBe(true);
    for (const path of ["~/.config/tool", "~/.ssh", "~/.aws/config", ".git/hooks"]) {
      expect(await asked(at, { command: "touch x", writable: [path] })).toMatchObject({
        warning: expect.stringMatching(/secrets|settings/),
        rule: null,
      });
    }
  });

  test("a link is shown as what it leads to", async () => {
    symlinkSync(folder, join(at.root, "innocent"));
    const ask = await asked(at, { command: "touch innocent/x", writable: ["innocent"] });
    expect(ask.access).toContain(`write to ${realpathSync(folder)}`);
    const call = makeCall({ command: "touch innocent/x", writable: ["innocent"] });
    await at.box.review(call);
    Bun.spawnSync(["ln", "-sfn", at.outside, join(at.root, "innocent")]);
    expect(blockText((await at.box.run(call, quietRun())).content)).toContain(
      "was changed after it was approved",
    );
  });

  test("protected files of the workspace can be named; the workspace itself grants nothing more", async () => {
    const names = [".husky/pre-commit", ".vscode/tasks.json"];
    const files = names.map((name) => at.put(name, "before\n"));
    const command = names.map((name) => `echo after > ${name}`).join("; ");
    expect(await verdict({ command, writable: ["."] })).toBe("ask");
    for (const [writable, left] of [
      [".", ["before\n", "before\n"]],
      [".husky", ["after\n", "before\n"]],
    ] as const) {
      await at.bash(command, { writable: [writable] });
      expect(files.map((file) => readFileSync(file, "utf8"))).toEqual([...left]);
    }
  });

  test("a path that does not exist is not made", async () => {
    const writable = [join(at.outside, "none/x")];
    expect(await at.bash("touch x", { writable })).toContain(
      "does not exist; name the folder that it would be in",
    );
  });
});
