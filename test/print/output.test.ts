import { expect, test } from "bun:test";
import { join } from "node:path";

const output = join(import.meta.dir, "../../src/print/output.ts");

test.each(["throw", "Promise.reject"])(
  "an error that nobody catches is one sentence: %s",
  async (how) => {
    const error = 'new Error("bo\\x1b[2Jom")';
    const rest =
      how === "throw" ? `setTimeout(() => { throw ${error}; })` : `Promise.reject(${error})`;
    const script = `import { onUncaughtError } from ${JSON.stringify(output)}; onUncaughtError(); ${rest};`;
    const child = Bun.spawn([process.execPath, "-e", script], { stderr: "pipe" });
    const said = await child.stderr.text();
    expect(await child.exited).toBe(1);
    expect(said).toMatch(/^mini-claude: bo.*om\n$/);
    expect(said).not.toContain("\x1b");
  },
);
