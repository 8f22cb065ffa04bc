/**
 * A command, its snapshot, and a rewind, by a process that kills itself before one of its changes to the file system.
 * `bun killed-command.ts WORKSPACE OWN-FOLDER COMMAND NUMBER`; prints how many there were after each part.
 */

import { join } from "node:path";
import { changes, countChanges } from "./kill-at.ts";

const [root = "", own = "", command = "", number = ""] = process.argv.slice(2);
countChanges(Number(number));

const { Checkpoints } = await import("../../src/log/checkpoints.ts");
const { openContents } = await import("../../src/snapshots/rewind.ts");
const { rewindFiles } = await import("../../src/snapshots/rewind.ts");
const { openSnapshots } = await import("../../src/snapshots/snapshots.ts");

const snapshots = openSnapshots({
  own,
  roots: [root],
  repository: async () => null,
  mayStillRun: async () => false,
});
const { begun } = await snapshots.begin(command);
if (begun === null) throw new Error("There is no snapshot.");
const parts = [changes()];
await Bun.spawn(["/bin/sh", "-c", command], { cwd: root }).exited;
const { files } = await snapshots.finish(begun, false);
parts.push(changes());
await Bun.write(join(own, "log.json"), JSON.stringify(files));
await snapshots.logged();
parts.push(changes());
const entry = { id: "e", parent: null, at: "", type: "checkpoint", toolUse: "t", files } as const;
const contents = openContents(own, root, new Checkpoints(join(own, "checkpoints")));
await rewindFiles(contents, { undo: [entry], redo: [], unsure: true }, (path) => path);
parts.push(changes());
console.log(JSON.stringify(parts));
