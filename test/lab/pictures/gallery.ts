/**
 * Pictures of every state of the screen at four widths in four color modes, with a page that shows them:
 * `bun test/lab/pictures/gallery.ts [FOLDER [EARLIER]]`. Beside each picture that differs from the one in the
 * folder of an earlier gallery, the page shows that one.
 */

import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTheme } from "../../../src/ui/theme.ts";
import { drawRows, stageState, states } from "../../ui/gallery/states.ts";
import { darkInk, lightInk, picture } from "./svg.ts";

const widths = [60, 80, 120, 200];

const modes = {
  dark: { theme: makeTheme("dark", "true"), ink: darkInk },
  light: { theme: makeTheme("light", "true"), ink: lightInk },
  "16 colors": { theme: makeTheme("dark", 16), ink: darkInk },
  "no colors": { theme: makeTheme("none"), ink: darkInk },
};

const folder = process.argv[2] ?? (await mkdtemp(join(tmpdir(), "gallery-")));
const earlier = process.argv[3];
await mkdir(folder, { recursive: true });
let differing = 0;

/** The picture of the earlier gallery, if it is another one. */
async function earlierFigure(name: string): Promise<string> {
  if (earlier === undefined) return "";
  const was = Bun.file(join(earlier, name));
  if (!(await was.exists()) || (await was.text()) === (await Bun.file(join(folder, name)).text()))
    return "";
  differing++;
  await Bun.write(join(folder, `earlier-${name}`), was);
  return `<figure><img src="earlier-${name}" loading="lazy"><figcaption>earlier</figcaption></figure>`;
}

const sections: string[] = [];
for (const state of states) {
  const images: string[] = [];
  for (const [mode, { theme, ink }] of Object.entries(modes)) {
    const on = await stageState(state, theme, true);
    for (const width of widths) {
      const rows = await drawRows(on, width);
      const name = `${state.name}-${mode}-${width}.svg`.replaceAll(" ", "-");
      await Bun.write(join(folder, name), await picture(rows, width, ink));
      images.push(
        `<figure><img src="${name}" loading="lazy"><figcaption>${mode}, ${width} columns</figcaption></figure>`,
        await earlierFigure(name),
      );
    }
    on.end();
  }
  sections.push(`<h2>${state.name}</h2>${images.join("")}`);
}
const style =
  "body{font:14px sans-serif;background:#888}figure{display:inline-block;margin:8px}img{max-width:100%}";
await Bun.write(
  join(folder, "index.html"),
  `<!doctype html><meta charset="utf-8"><title>Gallery</title><style>${style}</style>${sections.join("")}`,
);
console.log(`${states.length * widths.length * 4} pictures: ${join(folder, "index.html")}`);
if (earlier !== undefined) console.log(`${differing} differ from ${earlier}`);
process.exit(0);
