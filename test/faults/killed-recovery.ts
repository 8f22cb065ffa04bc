/**
 * Takes on what killed sessions left, in a process that kills itself before one of its changes to the file system.
 * `bun killed-recovery.ts WORKSPACE OWN-FOLDER NUMBER`; prints how many there were.
 */

import { changes, countChanges } from "./kill-at.ts";

const [root = "", own = "", number = ""] = process.argv.slice(2);
countChanges(Number(number));
const { recoverCommands } = await import("../../src/tools/undo/journal.ts");
await recoverCommands(own, [root]);
console.log(changes());
