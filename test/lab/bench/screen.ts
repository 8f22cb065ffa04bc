/**
 * What the screen costs: `bun test/lab/bench/screen.ts [--quick] [--keep] [--before FILE]`. Drives the real program in a
 * terminal of 120x40, with a model on loopback, and a bare Ink app and `cat` beside it, and with `--before` the program
 * of another checkout. Prints how the
 * figures differ from the last ones that were kept; `--keep` keeps these. Never fails: a busy machine is
 * no reason to.
 */

import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { measure, sizes, type Figure } from "./screen/measure.ts";

const beforeAt = process.argv.indexOf("--before");
const before = beforeAt === -1 ? null : (process.argv[beforeAt + 1] ?? null);
const isQuick = process.argv.includes("--quick");
const file = Bun.file(join(import.meta.dir, `screen${isQuick ? "-quick" : ""}.json`));

const keptRun = z.object({
  at: z.string(),
  figures: z.array(z.object({ name: z.string(), value: z.number() })),
});

const round = (value: number): number => Number(value.toPrecision(3));
const show = (value: number | undefined): string =>
  value === undefined ? "" : String(round(value));
const ratio = ({ value, ink, cat }: Figure): string => {
  const base = ink ?? cat;
  return base === undefined || base === 0 ? "" : `${round(value / base)}x`;
};

const from = loadavg()[0] ?? 0;
const figures = await measure(isQuick ? sizes.quick : sizes.full, before);
const kept = (await file.exists()) ? keptRun.parse(await file.json()) : { at: "", figures: [] };
const last = new Map(kept.figures.map(({ name, value }) => [name, value]));

console.table(
  figures.map((figure) => ({
    figure: figure.name,
    now: `${show(figure.value)} ${figure.unit}`.trim(),
    cat: show(figure.cat),
    "bare Ink": show(figure.ink),
    "to bare Ink": ratio(figure),
    before: show(figure.before),
    kept: show(last.get(figure.name)),
  })),
);
console.log(`${cpus().length} cores, load ${from.toFixed(1)} before; kept: ${kept.at || "none"}`);

if (process.argv.includes("--keep"))
  await Bun.write(
    file,
    `${JSON.stringify(
      {
        at: new Date().toISOString().slice(0, 10),
        cores: cpus().length,
        load: round(from),
        figures: figures.map((figure) => ({
          ...figure,
          value: round(figure.value),
          ...(figure.cat === undefined ? {} : { cat: round(figure.cat) }),
          ...(figure.before === undefined ? {} : { before: round(figure.before) }),
          ...(figure.ink === undefined ? {} : { ink: round(figure.ink) }),
        })),
      },
      null,
      2,
    )}\n`,
  );
process.exit(0);
