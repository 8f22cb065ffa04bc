import { call, type Skill } from "../skill.ts";
import { argument, numberedLines, pathsIn, type Step, type Turn } from "../turn.ts";

const asks =
  /\b(what('s| is| does)?\b.*\b(this|the) (project|repo|repository|codebase|folder|directory|program|app|code)|(summari[sz]e|describe|explain|overview of|tell me about|introduce)\b.*\b(project|repo|repository|codebase|folder|code ?base)|give me an overview)\b/i;

const manifests = [
  "package.json",
  "Cargo.toml",
  "pyproject.toml",
  "setup.py",
  "go.mod",
  "Makefile",
  "pom.xml",
  "build.gradle",
  "Gemfile",
  "composer.json",
  "mix.exs",
  "CMakeLists.txt",
];

/** "What is this project": its README, its manifest, its layout, how to run and test it. */
export const about: Skill = (turn) => {
  if (!asks.test(turn.question)) return null;
  if (turn.steps.length === 0)
    return {
      say: "Looking at the files, the README and the manifest.",
      calls: [call("glob", { pattern: "**/*" })],
    };
  const files = pathsIn(turn.steps[0]?.text ?? "");
  const readme = files.find((path) => /^readme(\.\w+)?$/i.test(path));
  const found = manifests.filter((name) => files.includes(name)).slice(0, 2);
  const toRead = [...(readme ? [readme] : []), ...found];
  if (turn.steps.length === 1 && toRead.length > 0) {
    return { calls: toRead.map((path) => call("read_file", { path, limit: 160 })) };
  }
  return { say: describe(turn, files, readme, found) };
};

function describe(
  turn: Turn,
  files: readonly string[],
  readme: string | undefined,
  found: readonly string[],
): string {
  const read = (path: string): Step | undefined =>
    turn.steps.find(
      (step) => step.tool === "read_file" && argument(step, "path") === path && !step.failed,
    );
  const parts: string[] = [];
  if (readme) parts.push(introduction(readme, numberedLines(read(readme)?.text ?? "")));
  for (const manifest of found)
    parts.push(fromManifest(manifest, numberedLines(read(manifest)?.text ?? "")));
  parts.push(layout(files));
  if (!readme && found.length === 0)
    parts.unshift("There is no README and no manifest that I know; this is what the files tell.");
  return parts.filter((part) => part !== "").join("\n\n");
}

type Line = { number: number; text: string };

/** Title and first paragraphs. */
function introduction(path: string, lines: readonly Line[]): string {
  const title = lines.find(({ text }) => /^#\s/.test(text));
  const body = lines
    .filter(({ text }) => text.trim() !== "" && !/^(#|!\[|\[!|<|>|```|\||-)/.test(text.trim()))
    .slice(0, 8);
  const first = title ?? body[0];
  if (!first) return "";
  return `**${title?.text.replace(/^#\s*/, "") ?? path}** (\`${path}:${first.number}\`)\n\n${body.map(({ text }) => text).join("\n")}`;
}

function fromManifest(path: string, lines: readonly Line[]): string {
  const wanted = /"?(name|version|description|main|bin|type)"?\s*[:=]|^module\s|^name\s*=/;
  const facts = lines.filter(({ text }) => wanted.test(text)).slice(0, 6);
  const scripts = scriptsIn(lines);
  return [
    facts.length === 0
      ? ""
      : `From \`${path}\`:\n${facts.map(({ number, text }) => `- \`${path}:${number}\`  ${text.trim()}`).join("\n")}`,
    scripts.length === 0
      ? ""
      : `Scripts:\n${scripts.map(({ number, text }) => `- \`${path}:${number}\`  ${text.trim().replace(/,$/, "")}`).join("\n")}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The lines of a package.json's scripts. */
export function scriptsIn(lines: readonly Line[]): Line[] {
  const start = lines.findIndex(({ text }) => /"scripts"\s*:/.test(text));
  if (start === -1) return [];
  const end = lines.findIndex(({ text }, index) => index > start && /^\s*\}/.test(text));
  return lines.slice(start + 1, end === -1 ? start + 20 : end);
}

/** Folders by the number of their files, and the kinds of files there are. */
function layout(files: readonly string[]): string {
  const folders = new Map<string, number>();
  const kinds = new Map<string, number>();
  for (const path of files) {
    const parts = path.split("/");
    const folder =
      parts.length === 1 ? "." : parts.slice(0, Math.min(2, parts.length - 1)).join("/");
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
    const kind = /\.(\w+)$/.exec(path)?.[1] ?? "other";
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const most = (counts: Map<string, number>, count: number): [string, number][] =>
    [...counts].sort((a, b) => b[1] - a[1]).slice(0, count);
  const tree = most(folders, 14)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([folder, count]) => `- \`${folder}/\`: ${count}`);
  return `${files.length} files: ${most(kinds, 6)
    .map(([kind, count]) => `${count} .${kind}`)
    .join(", ")}.\n\n${tree.join("\n")}`;
}
