import { parsePaths, morePaths, quote } from "../results.ts";
import { make, type AnswerScript, type Skill } from "../script.ts";
import { openFile, type FileStart } from "../files.ts";
import { bare, inCode, listed, paragraphs } from "../text.ts";
import { findFiles } from "../tools.ts";
import { counted } from "../../../base/format.ts";

const thing =
  "(?:this|the|our)(?: (?:project|repo|repository|code ?base|folder|program|app|code))?";
const asks = new RegExp(
  `^(?:what(?:'s| is| does)|explain|describe|summari[sz]e)(?: in)? ${thing}(?: do| about)?$|^what(?:'s| is) (?:in )?here$`,
  "i",
);

/** "What is this project?" */
export const project: Skill = (request) => (asks.test(bare(request)) ? overview() : null);

const manifests = ["package.json", "Cargo.toml", "go.mod", "pyproject.toml"];

/** Answers from the README, the manifest and the largest folders. */
function* overview(): AnswerScript {
  const list = yield* make(findFiles("**/*", undefined, "all files"));
  const paths = list.failed ? [] : parsePaths(list.text);
  if (paths.length === 0) return "There are no files here.";
  const readmePath = paths.find((path) => /^readme(?:\.\w+)?$/i.test(path));
  const readme = readmePath === undefined ? null : yield* openFile(readmePath, 80);
  const manifestPath = manifests.find((name) => paths.includes(name));
  const manifest = manifestPath === undefined ? null : yield* openFile(manifestPath, 80);
  return paragraphs(
    readme ? introduction(readme) : "There is no README.",
    manifest ? manifestFacts(manifest) : "",
    layout(paths, paths.length + morePaths(list.text)),
  );
}

/** The title and the first paragraph of prose. */
function introduction({ path, lines }: FileStart): string {
  const title = lines.find(({ text }) => /^#\s/.test(text));
  const name = title?.text.replace(/^#\s*/, "") ?? path;
  const isProse = (text: string): boolean => /^[\w*_"'`]/.test(text.trim());
  const from = lines.findIndex(({ text }) => isProse(text));
  const to = lines.findIndex(({ text }, at) => at > from && !isProse(text));
  const prose = lines.slice(from, to === -1 ? undefined : to).slice(0, from === -1 ? 0 : 10);
  return paragraphs(
    `**${name}** (\`${path}:${title?.line ?? 1}\`)`,
    prose.map(({ text }) => text).join("\n"),
  );
}

function manifestFacts({ path, lines }: FileStart): string {
  const form = /^ {0,2}"?(?:name|version|description|main|bin)"?\s*[:=](?!.*[{[]\s*$)|^module\s/;
  return listed(`From \`${path}\``, lines.filter(({ text }) => form.test(text)).map(quote), 6);
}

/** The folders with the most files. */
function layout(paths: readonly string[], total: number): string {
  const folders = Map.groupBy(paths, (path) => path.split("/").slice(0, -1).slice(0, 2).join("/"));
  const largest = [...folders].sort((a, b) => b[1].length - a[1].length);
  const lines = largest.map(([name, files]) => `${inCode(`${name || "."}/`)}: ${files.length}`);
  return listed(counted(total, "file"), lines, 12);
}
