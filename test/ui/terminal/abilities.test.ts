import { expect, test } from "bun:test";
import { join } from "node:path";
import { plainSigns, readAbilities } from "../../../src/ui/terminal/abilities.ts";
import { makeTheme, type Role, themeNames } from "../../../src/ui/theme.ts";

test.each([
  [{ TERM: "xterm-256color", LANG: "en_US.UTF-8" }, 256, "all", true],
  [{ TERM: "xterm-kitty" }, 256, "all", true],
  [{ TERM: "tmux-256color", LANG: "C.UTF-8" }, 256, "all", true],
  [{ TERM: "xterm", COLORTERM: "truecolor" }, "true", "all", true],
  [{ TERM: "xterm", WT_SESSION: "1" }, 256, "all", true],
  [{ TERM: "screen", LANG: "de_DE.UTF-8" }, 16, "all", true],
  [{ TERM: "linux", LANG: "en_US.UTF-8" }, 16, "signs", true],
  [{ TERM: "linux" }, 16, "ascii", true],
  [{ TERM: "vt220" }, 16, "ascii", true],
  [{ TERM: "xterm-256color", LANG: "de_DE.ISO-8859-1" }, 256, "ascii", true],
  [{ TERM: "xterm-256color", LC_ALL: "C", LANG: "en_US.UTF-8" }, 256, "ascii", true],
  [{ TERM: "dumb", LANG: "en_US.UTF-8" }, 16, "all", false],
] as const)("%j", (env, colors, characters, movesCursor) => {
  const around = { prefix: null, hasMouse: true };
  const tellsBackground = !["linux", "vt220", "dumb"].includes(env.TERM);
  const wanted = { colors, characters, movesCursor, tellsBackground, ...around };
  expect(readAbilities(env)).toEqual(wanted);
});

test("tmux and GNU screen take a key; in GNU screen there is no mouse", () => {
  const tmux = { TERM: "screen", TMUX: "/tmp/tmux-0/default,1,0" };
  expect(readAbilities(tmux)).toMatchObject({ prefix: "ctrl+b", hasMouse: true });
  const screen = { TERM: "screen", STY: "1.pts-0" };
  expect(readAbilities(screen)).toMatchObject({ prefix: "ctrl+a", hasMouse: false });
});

test("GNU screen has no 16 million colors, although the terminal around it says so", () => {
  const screen = { TERM: "screen.xterm-256color", STY: "1.pts-0", COLORTERM: "truecolor" };
  expect(readAbilities(screen).colors).toBe(256);
  expect(readAbilities({ ...screen, TERM: "screen" }).colors).toBe(16);
});

test("signs become ASCII of the same width", () => {
  const row = "╭─ ❯ ● ✗ ▸ ▐██▓▒░╎▌ 38 % · … → ⠋ ╯";
  const plain = plainSigns(row, "ascii");
  expect(plain).toBe("+- > * x > [##=+.|] 38 % - ~ > * +");
  expect(plainSigns("größer 漢字", "signs")).toBe("größer 漢字");
  expect(plainSigns("größer 漢字 \x1b[1mx", "ascii")).toBe("gr??er ???? \x1b[1mx");
});

test("every sign that the screen draws has one of ASCII", async () => {
  const root = join(import.meta.dir, "../../../src/ui");
  const missing = new Set<string>();
  for await (const file of new Bun.Glob("**/*.{ts,tsx}").scan(root)) {
    const source = (await Bun.file(join(root, file)).text()).replace(/^\s*(?:\/\/|\/?\*).*/gm, "");
    for (const [sign] of source.matchAll(/[\u{80}-\u{10ffff}]/gu))
      if (!/[\p{L}\p{M}]/u.test(sign) && plainSigns(sign, "ascii").includes("?")) missing.add(sign);
  }
  expect([...missing]).toEqual([]);
});

/** Every role of every theme. */
const roles: Role[] = [
  "accent",
  "user",
  "userMessage",
  "dim",
  "added",
  "removedWord",
  "bad",
  "code",
];

test("a terminal with 16 colors gets no others", () => {
  for (const name of themeNames) {
    const theme = makeTheme(name, 16);
    for (const role of roles) {
      const painted = theme.paint(role, "x");
      expect(painted).not.toContain("8;5;");
      expect(Bun.stripANSI(painted)).toBe("x");
    }
  }
  expect(makeTheme("dark", 16).paint("bad", "x")).toBe("\x1b[91mx\x1b[39m");
});

test("every color of a theme has a near one among the 16", () => {
  for (const name of ["dark", "light", "color-blind"])
    for (const role of roles)
      expect(makeTheme(name, 16).paint(role, "x")).not.toContain("\x1b[39mx");
});
