/** Every command can be taken back, however it runs; new files for other programs wait for an answer. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Checkpoints } from "../../../src/log/checkpoints.ts";
import { blockText } from "../../../src/protocol/block.ts";
import type { PermissionMode } from "../../../src/protocol/permission.ts";
import { openContents, rewindFiles } from "../../../src/snapshots/rewind.ts";
import type { CheckpointFact } from "../../../src/protocol/entry.ts";
import { entryOf } from "../../snapshots/workspace.ts";
import type { CallOptions, ToolOutcome } from "../../../src/tools/tool.ts";
import { leave, room, type Room } from "../room.ts";

afterAll(leave);

type Change = CheckpointFact["files"][number];

const hasSandbox = await room().then(({ box }) => box.hasSandbox());

let at: Room;
let asked: string[];
let warned: string;

async function open(mode: PermissionMode): Promise<void> {
  at = await room({ mode });
  at.put("a", "before\n");
  asked = [];
}

beforeEach(() => open("auto"));

async function run(command: string, { allow = false, meanwhile = (): void => undefined } = {}) {
  const ask: CallOptions["ask"] = async ({ detail, warning = "" }) => {
    asked.push(detail);
    warned = warning;
    meanwhile();
    return allow ? { allow, scope: "once" } : { allow };
  };
  const { content, checkpoint = [] } = await at.judged("Bash", { command }, { ask });
  await at.box.logged();
  return { said: blockText(content), checkpoint };
}

/** Writes into the file with the tool. */
async function write(): Promise<ToolOutcome> {
  await at.say("Read", { file_path: "a" });
  return at.judged("Write", { file_path: "a", content: "written\n" });
}

const rewind = (files: Change[]) => {
  const own = dirname(at.results);
  const contents = openContents(own, at.root, new Checkpoints(join(own, "checkpoints")));
  return rewindFiles(contents, { undo: [entryOf(files)], redo: [] }, (path) =>
    path.slice(at.root.length + 1),
  );
};

const text = (name: string): string => readFileSync(join(at.root, name), "utf8");

test.each<PermissionMode>(["default", "auto", "bypass"])("a command in mode %s", async (mode) => {
  await open(mode);
  const { checkpoint } = await run("echo after > a; echo new > b");
  expect(text("a")).toBe("after\n");
  expect((await rewind(checkpoint)).text).toBe("Restored a. Deleted b.");
  expect(text("a")).toBe("before\n");
});

test("a file tool's change beside a command's is that of both", async () => {
  const { checkpoint: first = [] } = await write();
  const { checkpoint: second } = await run("echo more >> a");
  expect(second).toHaveLength(1);
  expect(first[0]?.after).not.toBe(first[0]?.before);
  await rewind(second);
  expect(text("a")).toBe("written\n");
});

test.each(["Write", "Bash"])(
  "what the user wrote between %s and the other comes back",
  async (first) => {
    const files: Change[] = [];
    for (const name of first === "Write" ? ["Write", "Bash"] : ["Bash", "Write"]) {
      if (name === "Bash") files.push(...(await run("echo after > a")).checkpoint);
      else files.push(...((await write()).checkpoint ?? []));
      if (name === first) at.put("a", "mine\n");
    }
    const store = new Checkpoints(join(dirname(at.results), "checkpoints"));
    for (const bytes of at.kept.values()) await store.save(Buffer.from(bytes, "latin1"));
    await rewind(files);
    expect(text("a")).toBe("mine\n");
  },
);

describe.skipIf(!hasSandbox)("files that other programs run", () => {
  /** A line that says where it writes is asked about before it runs. */
  const runScript = (line: string, how?: Parameters<typeof run>[1], named = "") => {
    at.put("script.sh", line);
    return run(`sh script.sh ${named}`, how);
  };

  const plant = "mkdir -p .husky; printf '1\\n2\\n3' > .husky/pre-commit; echo x > x";

  test("do not stay without an answer, and all of them is shown", async () => {
    const { said, checkpoint } = await runScript(`${plant}; ln -s /x .husky/run`);
    expect(asked).toEqual([".husky/pre-commit (new)\n1\n2\n3\n\n.husky/run (new, a link)\n-> /x"]);
    expect(said).toContain("Not kept, because other programs run them");
    const [, copies = ""] = / Copies are in ([^ ]*)\. To/.exec(said) ?? [];
    expect(readFileSync(join(copies, "0-pre-commit"), "utf8")).toBe("1\n2\n3");
    const modes = [copies, join(copies, "0-pre-commit")].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
    expect(existsSync(join(at.root, ".husky"))).toBe(false);
    expect(checkpoint.map(({ path }) => path)).toEqual([join(at.root, "x")]);
  });

  test("stay where the call may write them", async () => {
    at.put("script.sh", plant);
    await at.judged("Bash", { command: "sh script.sh", writable: [".husky"] });
    expect(text(".husky/pre-commit")).toBe("1\n2\n3");
  });

  test("do not stay in a folder that is ignored and large", async () => {
    at.put(".gitignore", ".vscode\n");
    const fill = "mkdir .vscode; cd .vscode; seq 600 | xargs touch; echo x > tasks.json";
    const { said } = await runScript(fill);
    expect(said).toContain("Not kept");
    expect(existsSync(join(at.root, ".vscode"))).toBe(false);
    expect(existsSync(join(at.root, ".vscode.disabled/tasks.json"))).toBe(true);
  });

  test("stay if the user keeps them, and can be taken back", async () => {
    const { checkpoint } = await runScript(plant, { allow: true }, ".husky/pre-commit x");
    expect(text(".husky/pre-commit")).toBe("1\n2\n3");
    expect(warned).toEndWith("read settings from them by themselves.");
    await rewind(checkpoint);
    expect(existsSync(join(at.root, ".husky"))).toBe(false);
  });

  test("do not replace what the user made meanwhile, and the rest can be taken back", async () => {
    const meanwhile = (): void => void at.put(".husky/pre-commit", "mine\n");
    const how = { allow: true, meanwhile };
    const { said, checkpoint } = await runScript(`${plant}; echo y > .envrc`, how, ".envrc x");
    expect(text(".husky/pre-commit")).toBe("mine\n");
    expect(said).toContain("Could not be put back: .husky/pre-commit");
    await rewind(checkpoint);
    expect(["x", ".envrc"].filter((name) => existsSync(join(at.root, name)))).toEqual([]);
    expect(text(".husky/pre-commit")).toBe("mine\n");
  });

  test.each(["head -c 17000000 /dev/zero > .envrc", "mkfifo .envrc"])(
    "get another name where their content is not kept: %s",
    async (line) => {
      await runScript(line);
      const found = (): boolean[] =>
        [".envrc", ".envrc.disabled"].map((name) => existsSync(join(at.root, name)));
      expect(found()).toEqual([false, true]);
      expect((await runScript(line)).said).toContain(".envrc (still there)");
      expect(asked.at(-1)).toBe(".envrc (could not be taken back: it is still there)");
      expect(found()).toEqual([true, true]);
      for (const name of [".envrc", ".envrc.disabled"]) rmSync(join(at.root, name));
      const meanwhile = (): void => void at.put(".envrc", "mine\n");
      await runScript(line, { allow: true, meanwhile });
      expect([text(".envrc"), ...found()]).toEqual(["mine\n", true, true]);
      for (const name of [".envrc", ".envrc.disabled"]) rmSync(join(at.root, name));
      await runScript(line, { allow: true });
      expect(found()).toEqual([true, false]);
    },
  );

  test("in a new repository that runs a program do not stay either", async () => {
    const { said } = await runScript(
      "git init -q new; git -C new config core.fsmonitor ./evil; echo evil > new/.git/hooks/pre-push;" +
        "git init -q plain; git init -q far; git -C far remote add o https://example.com/x.git;" +
        "git init -q hooked; git -C hooked config core.hooksPath x; git init -q large; seq -f '#%g' 200000 >> large/.git/config",
    );
    for (const name of ["new", "far", "hooked", "large"])
      expect(said).toContain(`${name}/.git/config`);
    expect(said).not.toContain("plain/.git");
    expect(existsSync(join(at.root, "plain/.git/HEAD"))).toBe(true);
    const config = "git -C kept config core.fsmonitor ./evil";
    const kept = await runScript(`git init -q --template= kept; ${config}`, { allow: true });
    const paths = ["kept", "kept/.git"].map((name) => join(at.root, name));
    expect(kept.checkpoint.map(({ path }) => path)).toEqual(paths);
    // Unless the question showed it.
    await open("default");
    const asked = await run("git init -q own && git -C own remote add o https://example.com/x.git");
    expect(asked.said).not.toContain("Not kept");
    expect(said).toContain("new/.git/hooks/pre-push");
    expect(existsSync(join(at.root, "new/.git/hooks/pre-push"))).toBe(false);
  });

  test("do not come back from what the command left running", async () => {
    await runScript("sleep 1000 & mkdir .husky; echo x > .husky/pre-commit");
    at.put(".husky/pre-commit", "x\n");
    const { told } = await at.box.settle();
    expect(told.join()).toContain("Not kept");
    expect(existsSync(join(at.root, ".husky/pre-commit"))).toBe(false);
  });

  test("of the user stay, whatever is between commands", async () => {
    await run("echo x > x");
    at.put(".envrc", "mine\n");
    rmSync(join(at.root, "x"));
    await run("echo y > y");
    expect([text(".envrc"), asked]).toEqual(["mine\n", []]);
  });

  test("a name cannot add another to the question, and a long file is cut", async () => {
    // Open in an editor.
    at.put("..envrc.swp", "");
    const files = "head -c 1048577 /dev/zero > Jenkinsfile; seq 401 > .envrc; seq 399 > .husky/b";
    await runScript(
      `mkdir .husky; echo x > '.husky/a\nother (new)'; ${files}; touch .husky/$(printf %0255d)`,
    );
    expect(warned).toContain("If you made them yourself");
    expect(asked.join()).toContain(".husky/a⏎other (new) (new)");
    expect(asked.join()).toContain("\n400\n(2 more lines, not shown)");
    expect(asked.join()).toEndWith("\n399\n\n\nJenkinsfile (new)\n(not shown)");
  });
});
