/** The outline of a text that is too long to show: its declarations, with line numbers. */

import { takeStart } from "../../base/clip.ts";

const code =
  /^\s*(?:export\s+|pub(?:\([^)]*\))?\s+|public\s+|private\s+|protected\s+|internal\s+|static\s+|default\s+|async\s+|abstract\s+|final\s+|unsafe\s+|override\s+)*(?:function\*?|class|interface|type|enum|def|fn|func|struct|impl|trait|mod|module|namespace|record|protocol|extension|object)\s+[\w$<("'*]/;
/** Only top-level values count. */
const value = /^(?:export\s+(?:default\s+)?|pub\s+)?(?:const|let|var|val|static)\s+[\w$]/;
const cLike = /^[A-Za-z_][\w\s*&:<>,]*\([^;]*\)\s*(?:const\s*)?\{?\s*$/;
const heading = /^#{1,4} \S/;
const topKey = /^(?:["']?[\w.-]+["']?\s*:|\[{1,2}[^\]]+\]{1,2}\s*$)/;
const sql = /^\s*create\s+(?:or\s+replace\s+)?(?:table|view|index|function|procedure|trigger)\b/i;
const css = /^[.#:@\w][^{;]*\{\s*$/;

const byExtension: readonly [RegExp, readonly RegExp[]][] = [
  [/\.(?:md|mdx|markdown|rst)$/i, [heading]],
  [/\.(?:ya?ml|toml|ini|cfg)$/i, [topKey]],
  [/\.json[c5]?$/i, [/^ {2}"[^"]+"\s*:/]],
  [/\.sql$/i, [sql]],
  [/\.(?:css|scss|less)$/i, [css]],
  [/\.(?:c|h|cc|cpp|hpp|m)$/i, [code, value, cLike]],
];

/** At most `maxLines` lines of "number: line"; empty if nothing was recognized. */
export function outline(text: string, path = "", maxLines = 80): string {
  const patterns = byExtension.find(([extension]) => extension.test(path))?.[1] ?? [code, value];
  const found = text
    .split("\n")
    .flatMap((line, index) =>
      line.length < 1_000 && patterns.some((pattern) => pattern.test(line))
        ? [`${index + 1}: ${takeStart(line.trimEnd(), 140)}`]
        : [],
    );
  const shown = found.slice(0, maxLines);
  const more = found.length - shown.length;
  return more > 0 ? [...shown, `(${more} more)`].join("\n") : shown.join("\n");
}
