import { expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import {
  onClosedPipe,
  printMessage,
  writeData,
  writeError,
  writeText,
} from "../../../src/headless/print/output.ts";

const output = join(import.meta.dir, "../../../src/headless/print/output.ts");

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

test("a reader of standard output that has gone ends the run; another error is thrown", () => {
  const on = spyOn(process.stdout, "on").mockReturnValue(process.stdout);
  let left = 0;
  onClosedPipe(() => void left++);
  const [[, listener] = []] = on.mock.calls;
  on.mockRestore();
  const fail = (code: string): unknown => listener?.(Object.assign(new Error(code), { code }));
  fail("EPIPE");
  expect(left).toBe(1);
  expect(() => fail("ENOSPC")).toThrow("ENOSPC");
  expect(left).toBe(1);
});

test("other errors of standard output can be handled", () => {
  const on = spyOn(process.stdout, "on").mockReturnValue(process.stdout);
  const seen: string[] = [];
  onClosedPipe(
    () => seen.push("left"),
    ({ message }) => seen.push(message),
  );
  const [[, listener] = []] = on.mock.calls;
  on.mockRestore();
  listener?.(Object.assign(new Error("no space"), { code: "ENOSPC" }));
  expect(seen).toEqual(["no space"]);
});

test("data is printed unchanged, unless a terminal shows it; nothing else can control a terminal", () => {
  const said: string[] = [];
  const write = (text: string | Uint8Array): boolean => said.push(String(text)) > 0;
  const out = spyOn(process.stdout, "write").mockImplementation(write);
  const err = spyOn(process.stderr, "write").mockImplementation(write);
  const { isTTY } = process.stdout;
  for (const is of [false, true]) {
    process.stdout.isTTY = is;
    writeData("a\x1b[2Jb");
  }
  process.stdout.isTTY = isTTY;
  writeText("a\x1b[2Jb");
  writeError("a\x1b[2Jb");
  printMessage({ said: "a\x9b2Jb" });
  out.mockRestore();
  err.mockRestore();
  expect(said).toEqual(["a\x1b[2Jb", "ab", "ab", "ab", '{"said":"a\\u009b2Jb"}\n']);
});
