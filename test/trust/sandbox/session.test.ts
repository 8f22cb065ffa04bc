/** What the commands and tools of one session share in the sandbox. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { blockText, type ToolInput } from "../../../src/protocol/block.ts";
import { nothingShared } from "../../../src/tools/toolbox.ts";
import { leave, quietRun, room, type Room } from "../../tools/room.ts";
import { sandboxHere } from "../sandbox-here.ts";

afterAll(leave);

let at: Room;
beforeAll(async () => {
  at = await room();
});

let calls = 0;

/** Runs a call as it was judged. */
async function run(name: string, input: ToolInput): Promise<string> {
  calls += 1;
  const call = { type: "tool_use", id: `s${calls}`, name, input } as const;
  const review = await at.box.review(call);
  if (review.verdict === "refuse") return review.reason;
  return blockText((await at.box.run(call, quietRun())).content);
}

const bash = (command: string, more: ToolInput = {}): Promise<string> =>
  run("Bash", { command, ...more });

/** Serves one answer on a port of its choice, which it writes to a file. */
const server = `
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("served") });
await Bun.write("/tmp/port", String(server.port));
await Bun.write("/tmp/pid", String(process.pid));
`;

/** A command that waits until the server is up. */
const waits = "until [ -s /tmp/pid ]; do sleep 0.01; done;";
const ask =
  'exec 3<>/dev/tcp/127.0.0.1/$(cat /tmp/port); printf "GET / HTTP/1.0\\r\\n\\r\\n" >&3; cat <&3';

describe.skipIf(!sandboxHere)("one session", () => {
  test("a server started in the background answers the next command and is ended by its id", async () => {
    at.put("server.ts", server);
    at.put("ask.sh", ask);
    await bash(`${process.execPath} server.ts`, { run_in_background: true });
    expect(await bash(`${waits} bash ask.sh`)).toContain("served");
    expect(await bash("kill $(cat /tmp/pid) && echo ended")).toBe("ended");
    expect(
      await bash(
        "touch x; while kill -0 $(cat /tmp/pid) 2>/dev/null; do sleep 0.01; done; echo gone",
      ),
    ).toBe("gone");
  });

  test("all of that but the start asks no question in mode auto", async () => {
    const auto = await room({ mode: "auto" });
    auto.put("server.ts", server);
    auto.put("ask.sh", ask);
    const inBackground = { command: `${process.execPath} server.ts`, run_in_background: true };
    expect((await auto.review("Bash", inBackground)).verdict).toBe("allow");
    const steps: ToolInput[] = [
      { command: `${waits} bash ask.sh` },
      { command: "kill $(cat /tmp/pid)" },
      { command: "cat /tmp/port" },
    ];
    for (const input of steps) expect((await auto.review("Bash", input)).verdict).toBe("allow");
    expect((await auto.review("Read", { file_path: "/tmp/port" })).verdict).toBe("allow");
  });

  test("a printed process id is the same process in the next command, which cannot end the session's own", async () => {
    const printed = await bash("sleep 1000 & echo pid $!");
    const id = /pid (\d+)/.exec(printed)?.[1] ?? "";
    expect(await bash(`touch x; tr '\\0' ' ' < /proc/${id}/cmdline`)).toBe("sleep 1000");
    await bash("kill -9 1; kill -9 -1");
    expect(await bash("touch x; echo still")).toBe("still");
  });

  test("/tmp is the same for commands and file tools, and none is asked about", async () => {
    await bash("echo from bash > /tmp/note.txt");
    expect((await at.review("Read", { file_path: "/tmp/note.txt" })).verdict).toBe("allow");
    expect(await run("Read", { file_path: "/tmp/note.txt" })).toContain("from bash");
    expect((await at.review("Write", { file_path: "/tmp/made.txt", content: "x" })).verdict).toBe(
      "allow",
    );
    expect(await run("Write", { file_path: "/tmp/made.txt", content: "from write\n" })).toContain(
      "/tmp/made.txt",
    );
    for (const command of ["cat /tmp/made.txt", "touch x; cat /tmp/made.txt"])
      expect(await bash(command)).toBe("from write");
    expect(await run("Grep", { pattern: "from", path: "/tmp" })).toContain("/tmp/note.txt");
    expect(existsSync("/tmp/note.txt")).toBe(false);
  });

  test("a link in /tmp leads a file tool nowhere without approval", async () => {
    await bash(`ln -s ${at.outside} /tmp/out`);
    const write = await at.review("Write", { file_path: "/tmp/out/x", content: "x" });
    expect(write.verdict).toBe("refuse");
    expect((await at.review("Read", { file_path: "/tmp/out/x" })).verdict).toBe("ask");
  });

  test("what is written to the home is named, and other hidden places refuse it", async () => {
    const said = await bash(
      "echo notes > ~/notes.txt; mkdir -p ~/.config/x; echo y > ~/.config/x/y",
    );
    // The two may be listed in either order.
    expect(said).toMatch(/Not saved to the real home: ~\/\S+ and ~\/\S+\. /);
    expect(said).toContain("~/notes.txt");
    expect(said).toContain("~/.config/x/y");
    expect(existsSync(join(at.root, "../home/notes.txt"))).toBe(false);
    expect(await bash("touch x; cat ~/notes.txt")).toBe("notes");
    mkdirSync(at.outside, { recursive: true });
    expect(await bash("echo x > /mnt/lost")).toContain("Read-only file system");
  });

  test("a subagent finds what its session left, and ends nothing of it", async () => {
    const shared = nothingShared();
    const parent = await room({ shared });
    const child = await room({ shared, workspace: parent.root });
    await parent.bash("echo mine > /tmp/mine; sleep 1000 & echo $! > /tmp/id");
    const command = "touch x; cat /tmp/mine; kill -0 $(cat /tmp/id) && echo runs";
    expect(await child.bash(command)).toBe("mine\nruns");
    await child.box.close();
    expect(await parent.bash("touch x; kill -0 $(cat /tmp/id) && echo still")).toBe("still");
    // Another session shares nothing.
    expect(await bash("ls /tmp")).not.toContain("mine");
    await parent.box.close();
    await shared.place?.close();
  });
});
