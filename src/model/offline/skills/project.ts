import { counted } from "../../../base/in-words.ts";
import type { OfflineConversation } from "../conversation.ts";
import { isData, isProse, openExisting, openFile, type FileStart } from "../files.ts";
import { manifestNames, listScripts } from "../manifests.ts";
import { parseMatches, morePaths, parsePaths, quote } from "../results.ts";
import { make, type AnswerScript, type Skill } from "../script.ts";
import { bare, bullets, listed, paragraphs } from "../text.ts";
import { findFiles, searchText } from "../tools.ts";

const thing =
  "(?:this|the|our)(?: \\w+)? (?:project|repo|repository|code ?base|folder|directory|program|app|application|code|package|library|tool)";
const asksForOverview = new RegExp(
  `^what(?:'s| is| does| do| can)? ${thing}(?: do| about| for| contain)*$|^what(?: is|'s) (?:this(?: all)?(?: about)?|(?:in )?here)$|^what am i looking at$|^(?:summari[sz]e|describe|explain|introduce|outline)(?: to me)? ${thing}(?: to me)?$|\\b(?:overview|summary|structure|layout|tour)(?: of ${thing})?$|^tell me about ${thing}$`,
  "i",
);
const asksForEntry =
  /\b(?:entry ?points?|main (?:function|file|program))\b|^where(?:'s| is| does)? (?:main|(?:the |this )?(?:program|app|application|code|it|everything) (?:start|begin)s?)$/i;

/** "What is this project?", "where is the entry point?" */
export const project: Skill = (request, conversation) => {
  const text = bare(request);
  if (asksForEntry.test(text)) return entryPoints();
  return asksForOverview.test(text) ? overview(conversation) : null;
};

function* overview(conversation: OfflineConversation): AnswerScript {
  const list = yield* make(findFiles("**/*"));
  const paths = list.failed ? [] : parsePaths(list.text);
  const readmePath = paths.find((path) => /^readme(?:\.\w+)?$/i.test(path));
  const readme = readmePath === undefined ? null : yield* openFile(readmePath, conversation, 80);
  const manifests = yield* openExisting(manifestNames, paths, conversation);
  if (!list.failed && paths.length === 0) return "There are no files here.";
  return paragraphs(
    readme ? introduction(readme) : "There is no README.",
    ...manifests.slice(0, 2).map(manifestFacts),
    layout(paths, morePaths(list.text)),
  );
}

/** The title and the first paragraph of prose. */
function introduction({ path, lines }: FileStart): string {
  const title = lines.find(({ text }) => /^#\s/.test(text));
  const isProseLine = (text: string): boolean =>
    text.trim() !== "" && !/^(?:#|!\[|\[!|\[\w+\]:|<|>|\||---|===|```)/.test(text.trim());
  const texts = lines.map(({ text }) => text);
  const from = texts.findIndex(isProseLine);
  const to = texts.findIndex((text, at) => at > from && !isProseLine(text));
  const words = from === -1 ? [] : texts.slice(from, to === -1 ? undefined : to).slice(0, 10);
  const name = title?.text.replace(/^#\s*/, "") ?? path;
  return paragraphs(`**${name}** (\`${path}:${title?.line ?? 1}\`)`, words.join("\n"));
}

function manifestFacts(file: FileStart): string {
  const form =
    /^\s*"?(?:name|version|description|main|bin|type|edition|requires-python)"?\s*[:=](?!.*[{[]\s*$)|^module\s|^go\s\d/;
  const facts = file.lines.filter(({ text }) => form.test(text));
  const scripts = listScripts(file);
  return paragraphs(
    listed(`From \`${file.path}\``, facts.map(quote), 6),
    listed("Commands", scripts.map(quote), 10),
  );
}

/** Folders with the number of their files, and the kinds of files. */
function layout(paths: readonly string[], unlisted: number): string {
  const folders = Map.groupBy(paths, (path) => path.split("/").slice(0, -1).slice(0, 2).join("/"));
  const kinds = Map.groupBy(
    paths.flatMap((path) => /\.\w+$/.exec(path)?.[0] ?? []),
    (kind) => kind,
  );
  const largest = (groups: Map<string, string[]>, most: number): [string, string[]][] =>
    [...groups].sort((a, b) => b[1].length - a[1].length).slice(0, most);
  const tree = largest(folders, 14).map(([name, files]) => `\`${name || "."}/\`: ${files.length}`);
  const types = largest(kinds, 6).map(([kind, files]) => `${files.length} ${kind}`);
  const part = unlisted > 0 ? `; of the first ${paths.length}` : "";
  return paths.length === 0
    ? ""
    : `${counted(paths.length + unlisted, "file")}${part}: ${types.join(", ")}\n${bullets(tree.toSorted())}`;
}

const entryPattern =
  '^func main\\(|^(pub )?(async )?fn main\\(|^if __name__ ==|public static void main\\(|^(int|void) main\\(|^\\s+"(main|module|bin|start)": ?"|^#!.*\\b(node|bun|deno|python3?)\\b';
const entryFiles =
  "{,src/,app/,lib/,cmd/*/}{main,index,cli,app,server,__main__}.{ts,tsx,js,mjs,py,go,rs,rb,java,c,cpp}";

function* entryPoints(): AnswerScript {
  const search = yield* make(searchText(entryPattern, { limit: 40 }));
  const list = yield* make(findFiles(entryFiles));
  const found = parseMatches(search.text)
    .filter(({ path }) => !isProse(path) && (!isData(path) || path === "package.json"))
    .sort((a, b) => a.path.split("/").length - b.path.split("/").length);
  const named = parsePaths(list.text)
    .filter((path) => !found.some((place) => place.path === path))
    .map((path) => `\`${path}:1\`  (by its name)`);
  const places = [...found.map(quote), ...named];
  return (
    listed("Likely entry points", places, 8) ||
    "I found no entry point: no main function, no script that starts with #!, and no file with a usual name such as main or index."
  );
}
