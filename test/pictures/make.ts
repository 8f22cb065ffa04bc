/** Makes the README's pictures from a real session with the offline model: `bun test/pictures/make.ts`. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderWithBun } from "../bin.ts";
import { start } from "../tui/pty.ts";
import { turns, workday } from "../tui/workday.ts";
import { toSvg } from "./svg.ts";

const checkout = join(import.meta.dir, "..", "..");
const root = await mkdtemp(join(tmpdir(), "picture-"));
const project = join(root, "mini-claude");
await Bun.$`git clone --quiet --depth 1 file://${checkout} ${project}`;
const pty = start([join(checkout, "src", "cli.tsx"), "--trust"], {
  cwd: project,
  cols: 100,
  rows: 36,
  env: {
    HOME: root,
    MINI_CLAUDE_HOME: join(root, "home"),
    PATH: `${await folderWithBun(root)}:/usr/bin:/bin`,
  },
});
const idle = /❯ Ask/;
await pty.waitFor(idle);
await pty.type("where is the context meter drawn?\r");
await pty.waitFor("best match");
await pty.waitFor(idle);
await Bun.write(join(import.meta.dir, "answer.svg"), toSvg(pty));

await pty.type("explain src/context/pipeline.ts\r");
await pty.waitFor("Imported by");
await pty.waitFor(idle);
await pty.press("ctrl+s");
await pty.waitFor("❯ Summarize");
await Bun.write(join(import.meta.dir, "compact.svg"), toSvg(pty));
await pty.press("enter");
await pty.waitFor((screen) => screen.includes("messages summarized") && idle.test(screen));
await pty.press("alt+up");
await pty.waitFor("more below");
await pty.press("alt+up");
await pty.waitFor("[summarized");
await Bun.write(join(import.meta.dir, "transcript.svg"), toSvg(pty));

await pty.press("ctrl+end");
await pty.press("alt+v");
await pty.waitFor("sees, now");
await pty.press("left");
await pty.waitFor("✂ removed between this call and now");
await Bun.write(join(import.meta.dir, "lens.svg"), toSvg(pty));
await pty.press("alt+v");
await pty.waitFor((screen) => !screen.includes("Lens:"));
await pty.type("/exit\r");
await pty.exited;
await pty.close();
await rm(root, { recursive: true });

const day = await workday();
for (let turn = 0; turn <= turns; turn++) {
  await day.ask(turn);
  const picture = turn === turns ? "summary.svg" : turn === turns - 2 ? "tiers.svg" : null;
  if (picture === null) continue;
  await day.pty.press("alt+up");
  await day.pty.waitFor(`❯ Part ${turn}`);
  await Bun.write(join(import.meta.dir, picture), toSvg(day.pty));
  await day.pty.press("ctrl+end");
}
await day.end();
