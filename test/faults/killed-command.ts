/**
 * A command in a view of its own, whose changes are taken over, logged and rewound, by a process that kills itself before one
 * of its changes to the file system. `bun killed-command.ts WORKSPACE OWN-FOLDER COMMAND NUMBER`; prints how many
 * there were after each part.
 */

import { join } from "node:path";
import { changes, countChanges } from "./kill-at.ts";

const [root = "", own = "", command = "", number = ""] = process.argv.slice(2);
countChanges(Number(number));

const { Checkpoints } = await import("../../src/log/checkpoints.ts");
const { rewindFiles } = await import("../../src/log/rewind-files.ts");
const { openLayers } = await import("../../src/trust/sandbox/layers.ts");
const { overlayStage } = await import("../../src/trust/sandbox/overlay.ts");
const { openLayer } = await import("../../src/tools/undo/command-layer.ts");

const checkpoints = new Checkpoints(join(own, "checkpoints"));
const place = await openLayers(own, [root]).open();
if (place === null) throw new Error("There are no overlays here.");
const { layer, changes: ended } = openLayer({
  ...place,
  execution: {
    source: "",
    as: "workspace-write",
    sandbox: "required",
    network: "off",
    writable: [],
    git: null,
  },
  asideFolder: join(own, "aside", "1"),
  keptFolder: join(own, "kept", "1"),
  hasEffect: async () => false,
  show: (path) => path,
  save: (bytes) => checkpoints.save(bytes),
  maxBytes: 3_000,
});
const parts = [changes()];
const stage = overlayStage(place.overlays) ?? [];
await Bun.spawn([...stage, "/bin/sh", "-c", `cd "$1" && ${command}`, "sh", root]).exited;
await layer.merge();
const { files, close } = await ended;
parts.push(changes());
await Bun.write(join(own, "log.json"), JSON.stringify(files));
close();
parts.push(changes());
const entry = { id: "e", parent: null, at: "", type: "checkpoint", toolUse: "t", files } as const;
await rewindFiles(checkpoints, { undo: [entry], redo: [] }, (path) => path);
parts.push(changes());
console.log(JSON.stringify(parts));
