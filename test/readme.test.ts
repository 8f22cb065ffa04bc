/** The front page: short, with every topic of the manual and only pictures that exist. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { dependencies } from "../package.json";
import { topics } from "./docs/pages.ts";

const root = join(import.meta.dir, "..");
const readme = await Bun.file(join(root, "README.md")).text();

test("the README has at most 8 KB", () => {
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(8 * 1024);
});

test("the README links every topic, and shows a session that moves", async () => {
  const missing = topics.filter(({ name }) => !readme.includes(`(src/docs/${name}.md)`));
  expect(missing.map(({ name }) => name)).toEqual([]);
  const [moving = ""] = /test\/lab\/pictures\/\S+\.svg/.exec(readme) ?? [];
  expect(await Bun.file(join(root, moving)).text()).toContain("@keyframes");
});

test("every dependency is explained", async () => {
  const source = await Bun.file(join(root, "src/README.md")).text();
  expect(Object.keys(dependencies).filter((name) => !source.includes(`\`${name}\``))).toEqual([]);
});
