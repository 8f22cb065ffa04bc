import { expect, test } from "bun:test";
import { join } from "node:path";

/** In a process of its own, whose heap no other test fills. */
function objectsPerEntry(turns: number): number {
  const script = join(import.meta.dir, "count-objects.ts");
  const { stdout } = Bun.spawnSync([process.execPath, script, String(turns)]);
  return Number(stdout.toString());
}

test("a summary of a long session costs no more memory than one of a short session", () => {
  const short = objectsPerEntry(100);
  expect(short).toBeGreaterThan(1);
  expect(objectsPerEntry(400)).toBeLessThan(1.2 * short);
}, 60_000);
