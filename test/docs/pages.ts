/** The manual as files: a topic is a page. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dir, "../../src/docs");

export const readPage = (name: string): string => readFileSync(join(folder, `${name}.md`), "utf8");

export const topics = readdirSync(folder)
  .filter((file) => file.endsWith(".md"))
  .map((file) => ({ name: file.slice(0, -3), text: readPage(file.slice(0, -3)) }));
