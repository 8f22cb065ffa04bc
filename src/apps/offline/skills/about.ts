import { manifests, scriptsIn } from "../project-commands.ts";
import { numberedLines, pathsIn, type Line } from "../results.ts";
import { call, type Skill } from "../skill.ts";
import { bare, bullets, clip, count, fenced, paragraphs } from "../text.ts";
import { argument, type Turn } from "../turn.ts";

const thing =
  "(?:project|repo|repository|codebase|code ?base|folder|directory|program|app|application|code|package|library|tool)";
const asks = new RegExp(
  `\\bwhat(?:'s| is| does| do)?\\b.*\\b(?:this|the|our)(?: \\w+)? ${thing}\\b|^(?:summari[sz]e|describe|explain|introduce|outline)\\b.*\\b(?:this|the|our) ${thing}$|\\b(?:overview|summary|structure|layout) of (?:this|the|our) ${thing}|^(?:give me |show me )?an overview$|^tell me about (?:this|the) ${thing}|^what (?:is|am i looking at|do we have) (?:this|here)?$|^how (?:do|can) i (?:run|start|test|build) (?:this|it|the ${thing})`,
  "i",
);

/** "What is this project": its README, its manifests, its layout, how to run and test it. */
export const about: Skill = (turn) => {
  if (!asks.test(bare(turn.question))) return null;
  const list = turn.steps.find(({ tool, gone }) => tool === "glob" && !gone);
  if (!list)
    return {
      say: "Looking at the files, the README and the manifest.",
      calls: [call("glob", { pattern: "**/*" })],
    };
  const files = pathsIn(list.text);
  const readme = files.find((path) => /^readme(\.\w+)?$/i.test(path));
  const found = manifests.filter((name) => files.includes(name)).slice(0, 2);
  const entries = entryPoints(files).slice(0, 1);
  const toRead = [...(readme ? [readme] : []), ...found];
  if (!turn.steps.some(({ tool }) => tool === "read_file") && toRead.length + entries.length > 0)
    return {
      calls: [
        ...toRead.map((path) => call("read_file", { path, limit: 160 })),
        ...entries.map((path) => call("read_file", { path, limit: 40 })),
      ],
    };
  const more = /^\[(\d+) more files match\.\]$/m.exec(list.text)?.[1];
  return { say: describe(turn, files, { readme, found, hidden: Number(more ?? 0) }) };
};

/** Where a program begins, by the names that such files have. */
const entryPoints = (files: readonly string[]): string[] =>
  files
    .filter((path) =>
      /^(?:(?:src|cmd\/[\w-]+|app|bin|lib)\/)?(?:cli|main|index|app|server|mod|lib|__main__)\.(?:tsx?|jsx?|mjs|py|rs|go|rb|java|c|cpp)$/.test(
        path,
      ),
    )
    .sort((a, b) => rankOf(a) - rankOf(b));

const rankOf = (path: string): number =>
  ["main", "cli", "index", "app", "server"].findIndex((name) => path.includes(`${name}.`)) +
  (path.startsWith("src/") || path.startsWith("cmd/") ? 0 : 5);

type Found = { readme: string | undefined; found: readonly string[]; hidden: number };

function describe(turn: Turn, files: readonly string[], { readme, found, hidden }: Found): string {
  const linesOf = (path: string): Line[] => {
    const step = turn.steps.find(
      (one) => one.tool === "read_file" && argument(one, "path") === path,
    );
    return step && !step.failed ? numberedLines(step.text) : [];
  };
  const entries = entryPoints(files).slice(0, 3);
  return paragraphs(
    !readme && found.length === 0
      ? "There is no README and no manifest that I know; this is what the files tell."
      : "",
    readme ? introduction(readme, linesOf(readme)) : "",
    ...found.map((manifest) => fromManifest(manifest, linesOf(manifest))),
    entries.length === 0
      ? ""
      : `It begins in ${entries.map((path) => `\`${path}:1\``).join(", ")}.`,
    layout(files, hidden),
    readme ? sectionsOf(readme, linesOf(readme)) : "",
  );
}

/** Title, first paragraph, and the first commands that it shows. */
function introduction(path: string, lines: readonly Line[]): string {
  const title = lines.find(({ text }) => /^#\s/.test(text));
  const { prose, code } = split(lines);
  const start = prose.findIndex(({ text }) => isProse(text));
  const words: Line[] = [];
  for (const line of prose.slice(Math.max(0, start))) {
    if (words.length >= 8 || (line.text.startsWith("#") && words.length > 0)) break;
    if (isProse(line.text)) words.push(line);
  }
  const first = title ?? words[0];
  if (!first) return "";
  return paragraphs(
    `**${title?.text.replace(/^#\s*/, "") ?? path}** (\`${path}:${first.number}\`)`,
    words.map(({ text }) => text).join("\n"),
    code.length === 0
      ? ""
      : `It shows these commands (\`${path}:${code[0]?.number}\`):\n${fenced(
          code
            .slice(0, 6)
            .map(({ text }) => text)
            .join("\n"),
        )}`,
  );
}

const isProse = (text: string): boolean =>
  text.trim() !== "" && !/^(#|!\[|\[!|\[\w+\]:|<|>|\||---|===)/.test(text.trim());

/** The lines of the first code block, and all that are in none. */
function split(lines: readonly Line[]): { prose: Line[]; code: Line[] } {
  const prose: Line[] = [];
  const blocks: Line[][] = [];
  let open: Line[] | null = null;
  for (const line of lines) {
    if (/^\s*```/.test(line.text)) {
      if (open) blocks.push(open);
      open = open ? null : [];
    } else if (open) open.push(line);
    else prose.push(line);
  }
  return { prose, code: blocks.find((block) => block.length > 0) ?? [] };
}

function sectionsOf(path: string, lines: readonly Line[]): string {
  const heads = split(lines)
    .prose.filter(({ text }) => /^##\s/.test(text))
    .slice(0, 10);
  return heads.length === 0
    ? ""
    : `The README goes on about: ${heads.map(({ number, text }) => `${text.replace(/^#+\s*/, "")} (\`${path}:${number}\`)`).join(", ")}.`;
}

function fromManifest(path: string, lines: readonly Line[]): string {
  const wanted =
    /^\s*"?(name|version|description|main|bin|type|module|edition|requires-python)"?\s*[:=]|^module\s|^go\s\d/;
  const facts = lines.filter(({ text }) => wanted.test(text) && !/[{[]\s*$/.test(text)).slice(0, 6);
  const scripts = path === "package.json" ? scriptsIn(lines) : targetsIn(path, lines);
  const show = (list: readonly Line[]): string =>
    bullets(
      list.map(
        ({ number, text }) => `\`${path}:${number}\`  ${clip(text.replace(/,\s*$/, ""), 160)}`,
      ),
    );
  return paragraphs(
    facts.length === 0 ? "" : `From \`${path}\`:\n${show(facts)}`,
    scripts.length === 0 ? "" : `What can be run:\n${show(scripts.slice(0, 12))}`,
  );
}

const targetsIn = (path: string, lines: readonly Line[]): Line[] =>
  path === "Makefile" || path === "justfile"
    ? lines.filter(({ text }) => /^[\w-]+\s*:(?!=)/.test(text))
    : [];

/** Folders by the number of their files, and the kinds of files there are. */
function layout(files: readonly string[], hidden: number): string {
  const folders = new Map<string, number>();
  const kinds = new Map<string, number>();
  for (const path of files) {
    const parts = path.split("/");
    const folder =
      parts.length === 1 ? "." : parts.slice(0, Math.min(2, parts.length - 1)).join("/");
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
    const kind = /\.(\w+)$/.exec(path)?.[1];
    if (kind) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const most = (counts: Map<string, number>, number: number): [string, number][] =>
    [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, number);
  const tree = most(folders, 14)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, number]) => `\`${folder}/\`: ${number}`);
  const total =
    hidden > 0
      ? `${files.length + hidden} files, of which I saw the first ${files.length}`
      : count(files.length, "file");
  const types = most(kinds, 6).map(([kind, number]) => `${number} .${kind}`);
  return paragraphs(`${total}: ${types.join(", ")}.`, bullets(tree));
}
