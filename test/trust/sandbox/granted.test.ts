/** What an approved command may be given beyond the sandbox: hosts, and paths to write to. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { blockText, type ToolInput } from "../../../src/protocol/block.ts";
import type { RuleTexts } from "../../../src/trust/rules/rules.ts";
import { leave, quietRun, room, type Room } from "../../tools/room.ts";
import { runAsOne } from "../one-command.ts";
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
beforeEach(async () => {
  at = await room({ resolve });
  at.put("get.js", client);
});

const withRules = (rules: Partial<RuleTexts>): Promise<Room> =>
  room({ resolve, rules: { allow: [], ask: [], deny: [], ...rules } });

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

const run = (where: Room, { command, ...more }: ToolInput & { command: string }): Promise<string> =>
  where.bash(command, more);

describe.skipIf(!sandboxHere)("hosts", () => {
  const curl = (host: string) => `curl -sS http://${host}:${port}/; touch x`;

  test("a command reaches the host that the question names, and no other", async () => {
    const command = curl("allowed.test");
    expect((await asked(at, { command })).access).toBe(
      "Runs in the sandbox. It can reach allowed.test.",
    );
    expect(await run(at, { command })).toBe(`reached allowed.test:${port}`);
    expect(await run(at, { command: `${curl("allowed.test")}; node get.js other.test` })).toContain(
      "[The sandbox refused connections: other.test is not allowed. To reach a public host",
    );
  });

  test("a tunnel is refused with a reason, too", async () => {
    at.put("get.sh", `for host; do curl -sp http://$host:${port}/; done`);
    const command = "bash get.sh allowed.test other.test";
    const said = await run(at, { command, hosts: ["allowed.test"] });
    expect(said).toContain(`reached allowed.test:${port}`);
    expect(said).toContain("other.test is not allowed.");
    expect(said).not.toContain("reached other");
  });

  test("the model can ask for hosts, which the question shows", async () => {
    const command = "node get.js asked.test";
    expect((await asked(at, { command })).access).toBeUndefined();
    const input = { command, hosts: ["https://Asked.test:80/", "*.more.test"] };
    expect(await asked(at, input)).toMatchObject({
      access: "Runs in the sandbox. It can reach asked.test and *.more.test.",
      rule: "exactly this command, reaching asked.test and *.more.test",
    });
    expect(await run(at, input)).toBe(`reached asked.test:${port}`);
    expect(await run(at, { ...input, command: "node get.js x.more.test" })).toContain(
      "reached x.more",
    );
    expect(await run(at, { ...input, command: "node get.js more.test" })).not.toContain("reached");
    expect(await run(at, { command })).not.toContain("reached");
  });

  test.each(["*", "*.com", "a b", "http://x/y", "[::1]", "", "a..b", "-x\nb", "x/../y"])(
    "%j is not a host",
    async (host) => {
      const review = await at.review("Bash", { command: "touch x", hosts: [host] });
      expect(review.verdict).toBe("refuse");
    },
  );

  test("a rule for a domain lets commands connect without a question, one for all pages does not", async () => {
    const python = `python3 -c "import urllib.request as u; print(u.urlopen('http://sub.allowed.test:${port}').read())"`;
    const allowed = await withRules({ allow: ["WebFetch(domain:allowed.test)"] });
    expect((await asked(allowed, { command: python })).access).toBeUndefined();
    expect(await run(allowed, { command: python })).toContain("reached sub.allowed.test");
    const all = await withRules({ allow: ["WebFetch"] });
    expect(await run(all, { command: python })).not.toContain("reached sub");
  });

  test("a rule that denies a domain outranks every yes", async () => {
    const denied = await withRules({
      allow: ["WebFetch(domain:allowed.test)"],
      deny: ["WebFetch(domain:evil.allowed.test)"],
    });
    expect(await run(denied, { command: curl("evil.allowed.test") })).toContain("is not allowed");
    expect(await run(denied, { command: curl("allowed.test") })).toContain("reached");
    const review = await denied.review("Bash", {
      command: "touch x",
      hosts: ["evil.allowed.test"],
    });
    expect(review.verdict).toBe("refuse");
  });

  test("a name that resolves to the local network is refused", async () => {
    const real = await room({});
    const said = await run(real, {
      command: "touch x; curl -s http://127.0.0.1.nip.io/",
      hosts: ["allowed.test"],
    });
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
    // What the line does not name, nobody was asked about.
    const runScript = (script: string): Promise<string> => {
      at.put("work.sh", script);
      return run(at, { command: "bash work.sh", hosts: ["allowed.test"] });
    };
    for (const [line, said] of await runAsOne(lines, runScript))
      expect([line, said]).toEqual([line, expect.not.stringContaining("reached")]);
  });

  test("exit codes, signals and output come through", async () => {
    const hosts = ["allowed.test"];
    expect(await run(at, { command: "touch x; exit 7", hosts })).toContain("[exit code 7]");
    expect(await run(at, { command: "touch x; kill -9 $$", hosts })).toMatch(
      /exit code 137|SIGKILL/,
    );
    expect(await run(at, { command: "mkdir sub; cd sub; echo a; echo b >&2", hosts })).toBe("a\nb");
    expect(await run(at, { command: 'touch y; pwd; echo "$BUN_BE_BUN"', hosts })).toBe(
      join(at.root, "sub"),
    );
    expect(await run(at, { command: "sleep 60; echo no", hosts, timeout: 1_000 })).toContain(
      "timed out",
    );
  });

  test("a hostile bunfig.toml and .env of the workspace have no effect", async () => {
    at.put("bunfig.toml", 'preload = ["./evil.ts"]\n');
    at.put("evil.ts", "await Bun.write('pwned', '');\n");
    at.put(".env", "X=evil\n");
    expect(await run(at, { command: 'echo "$X" > y; cat y', hosts: ["allowed.test"] })).toBe(
      "(no output)",
    );
    expect(existsSync(join(at.root, "pwned"))).toBe(false);
  });

  test("a yes for the session covers the same hosts only", async () => {
    const input = { command: "node x.js", hosts: ["allowed.test"] };
    const call = makeCall(input);
    await at.box.review(call);
    at.box.allowForSession(call);
    const verdict = async (more: ToolInput) => (await at.box.review(makeCall(more))).verdict;
    expect(await verdict(input)).toBe("allow");
    expect(await verdict({ command: "node x.js" })).toBe("ask");
    expect(await verdict({ command: "node x.js", hosts: ["evil.test"] })).toBe("ask");
    expect(await verdict({ ...input, hosts: ["allowed.test", "evil.test"] })).toBe("ask");
    expect(await verdict({ ...input, writable: [at.outside] })).toBe("ask");
    expect(await verdict({ ...input, run_in_background: true })).toBe("ask");
    expect(await verdict({ ...input, sandbox: false })).toBe("ask");
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
  beforeEach(() => {
    folder = join(at.outside, "folder");
    mkdirSync(folder);
  });

  test("a folder is writable for one run, and the question names it", async () => {
    const command = `echo x > ${folder}/new`;
    expect(await run(at, { command })).toContain("with writable");
    expect(existsSync(join(folder, "new"))).toBe(false);
    const input = { command, writable: [folder] };
    expect(await asked(at, input)).toMatchObject({
      access: `Runs in the sandbox. It can write to ${folder}.`,
      rule: `exactly this command, writing to ${folder}`,
    });
    expect(await run(at, input)).toBe("(no output)");
    expect(readFileSync(join(folder, "new"), "utf8")).toBe("x\n");
    await run(at, { command: `rm ${folder}/new` });
    expect(existsSync(join(folder, "new"))).toBe(true);
  });

  test("nothing beside it is writable, and files can be named, too", async () => {
    writeFileSync(join(at.outside, "file"), "before\n");
    const command = `echo x > ${at.outside}/beside; echo after > ${at.outside}/file; echo x > ${folder}/y`;
    await run(at, { command, writable: [join(at.outside, "file")] });
    expect(readFileSync(join(at.outside, "file"), "utf8")).toBe("after\n");
    expect(existsSync(join(at.outside, "beside"))).toBe(false);
    expect(existsSync(join(folder, "y"))).toBe(false);
  });

  test("a folder of the home is seen and written, with a warning if other programs read settings from it", async () => {
    const home = join(at.root, "../home");
    mkdirSync(join(home, "notes"));
    mkdirSync(join(home, ".config/tool"), { recursive: true });
    expect(await run(at, { command: "touch ~/notes/x && ls ~", writable: ["~/notes"] })).toBe(
      "notes",
    );
    expect(existsSync(join(home, "notes/x"))).toBe(true);
    const { warning } = await asked(at, { command: "touch ~/notes/y", writable: ["~/notes"] });
    expect(warning).toBeUndefined();
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

  test("protected files of the workspace can be named", async () => {
    at.put(".husky/pre-commit", "before\n");
    at.put(".vscode/tasks.json", "before\n");
    const command = "echo after > .husky/pre-commit; echo after > .vscode/tasks.json";
    await run(at, { command, writable: [".husky"] });
    expect(readFileSync(join(at.root, ".husky/pre-commit"), "utf8")).toBe("after\n");
    expect(readFileSync(join(at.root, ".vscode/tasks.json"), "utf8")).toBe("before\n");
  });

  test("a missing path is an error that says what to do", async () => {
    const input = { command: "touch x", writable: [join(at.outside, "none/x")] };
    expect(await run(at, input)).toContain("does not exist; name the folder that it would be in");
  });

  test("the home, the workspace's parents, the system and our own folder never become writable", async () => {
    const home = realpathSync(join(at.root, "../home"));
    const never = [
      "/",
      "~",
      "..",
      dirname(home),
      "/etc",
      "/etc/hosts",
      "/usr/local/bin",
      "/proc/sys",
      "/dev/shm",
    ];
    for (const path of [...never, "/run", "/home", "~/.mini-claude", "~/.mini-claude/x"]) {
      const review = await at.review("Bash", { command: "touch x", writable: [path] });
      expect({ path, verdict: review.verdict }).toEqual({ path, verdict: "refuse" });
    }
  });

  test("the workspace itself is asked about, and grants nothing more", async () => {
    const file = at.put(".github/workflows/x.yml", "old");
    const input = { command: "echo new > .github/workflows/x.yml; touch made", writable: ["."] };
    expect((await at.review("Bash", input)).verdict).toBe("ask");
    await run(at, input);
    expect(readFileSync(file, "utf8")).toBe("old");
  });

  test("plan mode grants nothing", async () => {
    const plan = await room({ mode: "plan" });
    for (const more of [{ writable: [plan.outside] }, { hosts: ["allowed.test"] }]) {
      expect((await plan.review("Bash", { command: "touch x", ...more })).verdict).toBe("refuse");
    }
  });
});
