/** What the commands and tools of one session share in the sandbox. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { nothingShared } from "../../../src/tools/toolbox.ts";
import { leave, room, type Room } from "../../tools/room.ts";
import { sandboxHere } from "../sandbox-here.ts";

afterAll(leave);

let at: Room;
beforeAll(async () => {
  at = await room();
});

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
    await at.bash(`${process.execPath} server.ts`, { run_in_background: true });
    expect(await at.bash(`${waits} bash ask.sh`)).toContain("served");
    const ends =
      "kill $(cat /tmp/pid); while kill -0 $(cat /tmp/pid) 2>/dev/null; do sleep 0.01; done";
    expect(await at.bash(`${ends}; echo gone`)).toBe("gone");
  });

  test("a printed process id is the same process in the next command, which cannot end the session's own", async () => {
    const printed = await at.bash("sleep 1000 & echo pid $!");
    const id = /pid (\d+)/.exec(printed)?.[1] ?? "";
    expect(await at.bash(`touch x; tr '\\0' ' ' < /proc/${id}/cmdline`)).toBe("sleep 1000");
    await at.bash("kill -9 1; kill -9 -1");
    expect(await at.bash("touch x; echo still")).toBe("still");
  });

  test("a file tool writes to /tmp unasked, and a link there leads it nowhere", async () => {
    const made = { file_path: `/tmp/${crypto.randomUUID()}`, content: "x" };
    expect(await at.verdict("Write", made)).toBe("allow");
    await at.bash(`ln -s ${at.outside} /tmp/out`);
    const write = await at.review("Write", { file_path: "/tmp/out/x", content: "x" });
    expect(write.verdict).toBe("refuse");
    expect(await at.verdict("Read", { file_path: "/tmp/out/x" })).toBe("ask");
  });

  test("what is written to the home is named, and other hidden places refuse it", async () => {
    const said = await at.bash(
      "echo notes > ~/notes.txt; mkdir -p ~/.config/x; echo y > ~/.config/x/y; echo z > ~/.x_history",
    );
    // The two may be listed in either order.
    expect(said).toMatch(/Not saved to the real home: ~\/\S+ and ~\/\S+\. /);
    expect(said).toContain("~/notes.txt");
    expect(said).toContain("~/.config/x/y");
    expect(existsSync(join(at.root, "../home/notes.txt"))).toBe(false);
    expect(await at.bash("touch x; cat ~/notes.txt")).toBe("notes");
    mkdirSync(at.outside, { recursive: true });
    expect(await at.bash("echo x > /mnt/lost")).toContain("Read-only file system");
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
    expect(await at.bash("ls /tmp")).not.toContain("mine");
    await parent.box.close();
    await shared.place?.close();
  });
});
