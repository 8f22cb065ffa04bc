/** A debug log whose lines can be read back, without their times. */

import { onTestFinished } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTracer, type Tracer } from "../../../src/app/debug/tracer.ts";

/** Removed when the test has ended. */
export function logFile(): {
  log: Tracer;
  /** With "N ms" for every duration. */
  lines(): string[];
  /** Those durations. */
  times(): number[];
} {
  const root = mkdtempSync(join(tmpdir(), "debug-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const file = join(root, "log");
  return {
    log: createTracer(file, {}),
    times: () =>
      [...readFileSync(file, "utf8").matchAll(/([\d,]+) ms/g)].map(([, ms = ""]) =>
        Number(ms.replaceAll(",", "")),
      ),
    lines: () =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) =>
          line
            .slice(26)
            .replace(/ +/, " ")
            .replaceAll(/[\d,]+ ms/g, "N ms"),
        ),
  };
}
