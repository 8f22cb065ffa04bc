import { expect, test } from "bun:test";
import { join } from "node:path";

/** Runs in a separate process, whose heap no other test fills. */
function objectsPerEntry(turns: number, kind: "summarized" | "edited"): number {
  const script = join(import.meta.dir, "count-objects.ts");
  const { stdout } = Bun.spawnSync([process.execPath, script, String(turns), kind]);
  return Number(stdout.toString());
}

test("a summary of a long session costs no more memory than one of a short session", () => {
  const short = objectsPerEntry(100, "summarized");
  expect(short).toBeGreaterThan(1);
  expect(objectsPerEntry(400, "summarized")).toBeLessThan(1.2 * short);
});

test("a row costs one object, however much of it is edited", () => {
  expect(objectsPerEntry(20, "edited")).toBeLessThan(1.5);
});
