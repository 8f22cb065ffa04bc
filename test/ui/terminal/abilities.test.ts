import { expect, test } from "bun:test";
import { join } from "node:path";
import { openScripted } from "../scripted.ts";

/** What the program sends to a terminal of this kind when it shows a change, and the screen then. */
async function sent(env: Record<string, string | undefined>, words = "x") {
  const terminal = await openScripted(
    { settings: { mouse: true } },
    { env: { LANG: "", ...env }, wanted: /❯|>|is ready/ },
  );
  await terminal.type(`call --- a\\n+++ b\\n@@ -1 +1 @@\\n-a ${words}\\n+b ${words}\r`);
  await terminal.waitFor("b x");
  const output = terminal.output();
  const screen = terminal.screen();
  await terminal.close();
  return { output, screen };
}

test.each([
  [{ TERM: "xterm-256color", LANG: "en_US.UTF-8" }, 256, "all"],
  [{ TERM: "xterm-kitty" }, 256, "all"],
  [{ TERM: "xterm", COLORTERM: "truecolor" }, "true", "all"],
  [{ TERM: "xterm", WT_SESSION: "1" }, 256, "all"],
  [{ TERM: "screen", LANG: "de_DE.UTF-8" }, 16, "all"],
  [{ TERM: "linux", LANG: "en_US.UTF-8" }, 16, "signs"],
  [{ TERM: "linux" }, 16, "ascii"],
  [{ TERM: "vt220" }, 16, "ascii"],
  [{ TERM: "xterm-256color", LANG: "de_DE.ISO-8859-1" }, 256, "ascii"],
  [{ TERM: "xterm-256color", LC_ALL: "C", LANG: "en_US.UTF-8" }, 256, "ascii"],
  // GNU screen has no 16 million colors, although the terminal around it says so.
  [{ TERM: "screen.xterm-256color", STY: "1.pts-0", COLORTERM: "truecolor" }, 256, "all"],
  [{ TERM: "screen", STY: "1.pts-0", COLORTERM: "truecolor" }, 16, "all"],
] as const)("%j", async (env, colors, characters) => {
  const { output, screen } = await sent(env, "x é");
  expect(output.includes("48;2;")).toBe(colors === "true");
  expect(output.includes("38;5;")).toBe(colors !== 16);
  expect(screen.includes("❯")).toBe(characters === "all");
  expect(screen.includes("é")).toBe(characters !== "ascii");
  const isOld = env.TERM === "linux" || env.TERM === "vt220";
  expect(output.includes("\x1b]11;?")).toBe(!isOld);
  // GNU screen would hold back Escape.
  expect(output.includes("\x1b[?1002h")).toBe(!("STY" in env));
});

test("every sign that the screen draws has one of ASCII, of the same width", async () => {
  const root = join(import.meta.dir, "../../../src/ui");
  const signs = new Set<string>();
  for await (const file of new Bun.Glob("**/*.{ts,tsx}").scan(root)) {
    const source = (await Bun.file(join(root, file)).text()).replace(/^\s*(?:\/\/|\/?\*).*/gm, "");
    for (const [sign] of source.matchAll(/[\u{80}-\u{10ffff}]/gu))
      if (/[^\p{L}\p{M}\p{Cc}\p{Cf}]/u.test(sign) && Bun.stringWidth(sign) === 1) signs.add(sign);
  }
  expect(signs.size).toBeGreaterThan(60);
  const { screen } = await sent({ TERM: "xterm", LC_ALL: "C" }, `x ${[...signs].join("")} y 漢字`);
  const row = screen
    .split("\n")
    .map((line) => line.replace(/^ *1 \| \+ /, ""))
    .join("")
    .replace(/\s*\n?\s*/g, "");
  expect(row).not.toMatch(/x[^y]*\?[^y]*y/);
  expect(row).toContain("y????");
});
