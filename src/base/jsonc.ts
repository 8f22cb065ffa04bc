/**
 * Edits JSON in place. Loaded only to save: the package's main file requires others, which a compiled
 * program lacks.
 */
const parser = (): typeof import("jsonc-parser") => require("jsonc-parser/lib/esm/main.js");

type Place = {
  path: (string | number)[];
  /** Undefined removes what is there. */
  value: unknown;
  inserts?: boolean;
  /** One level of indentation where the text shows none; "": it stays on one line. */
  indent?: string;
};

/** The text with one value changed, and everything else as it was. */
export function editJson(
  text: string,
  { path, value, inserts, indent: usual = "  " }: Place,
): string {
  const { modify, applyEdits } = parser();
  const indent = /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1] ?? usual;
  const edits = modify(text, path, value, {
    ...(inserts && { isArrayInsertion: true }),
    ...(indent !== "" && {
      formattingOptions: {
        insertSpaces: !indent.startsWith("\t"),
        tabSize: indent.startsWith("\t") ? 1 : indent.length,
        eol: text.includes("\r\n") ? "\r\n" : "\n",
      },
    }),
  });
  return applyEdits(text, edits);
}
