/** Changes of a notebook's cells; everything else of its JSON stays as it is. */

import { randomBytes } from "node:crypto";
import { z } from "zod";
import { parseJson } from "../../base/guards.ts";
import { editJson } from "../../base/jsonc.ts";
import { ToolError } from "../tool.ts";
import { joined, notebookText } from "./notebook.ts";

const cellSchema = z.looseObject({
  id: z.string().optional(),
  cell_type: z.string(),
  source: notebookText,
});

type Cell = z.infer<typeof cellSchema>;

const notebook = z.looseObject({
  cells: z.array(cellSchema),
  nbformat_minor: z.number().optional(),
});

export const isNotebook = (path: string): boolean => /\.ipynb$/i.test(path);

/** Input of NotebookEdit, the tool of other agents. */
type CellChange = {
  cell_id?: string | undefined;
  /** As Read counts, from 1. */
  cell_number?: number | undefined;
  cell_type?: "code" | "markdown" | "raw" | undefined;
  edit_mode?: "replace" | "insert" | "delete" | undefined;
  new_source?: string | undefined;
};

const isValid = (data: unknown): data is z.infer<typeof notebook> =>
  notebook.safeParse(data).success;

/** The cells of a notebook, and a way to change a part of them in its text; null: not a notebook. */
function open(text: string) {
  const data: unknown = parseJson(text);
  // Not the parsed copy, whose keys are in another order.
  if (!isValid(data)) return null;
  const book = {
    data,
    cells: data.cells,
    text,
    /** Numbers and escapes elsewhere stay as they are written. */
    set(path: (string | number)[], value: unknown, inserts = false): void {
      book.text = editJson(book.text, { path: ["cells", ...path], value, inserts, indent: "" });
    },
    /** As a list of lines, or as one string, as it was. */
    setSource(at: number, source: string): void {
      const isList = Array.isArray(data.cells[at]?.source);
      book.set([at, "source"], isList ? toLines(source) : source);
    },
  };
  return book;
}

const toLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** The text with one cell replaced, inserted or deleted, and a sentence on it. Throws `ToolError`. */
export function changeCell(text: string, change: CellChange) {
  const book = open(text);
  if (!book) throw new ToolError("Not a valid notebook; change it with Bash.");
  const { cells } = book;
  const { edit_mode: mode = "replace", new_source = "", cell_type } = change;
  const at = findCell(cells, change);
  const changed = (how: string) => ({
    text: book.text,
    said: (name: string) => `${how} of ${name}`,
  });
  if (mode === "insert") {
    // After the cell that is named; first, if none is.
    const place = at === null ? 0 : at + 1;
    const cell = newCell(cell_type ?? "code", new_source, book.data.nbformat_minor ?? 0);
    book.set([place], cell, true);
    return changed(`Inserted cell ${place + 1} of ${cells.length + 1}`);
  }
  const cell = at === null ? undefined : cells[at];
  if (at === null || !cell)
    throw new ToolError(`Name a cell by cell_id or cell_number. ${listed(cells)}`);
  if (mode === "delete") {
    book.set([at], undefined);
    return changed(`Deleted cell ${at + 1}; ${cells.length - 1} are left`);
  }
  if (change.new_source === undefined) throw new ToolError("new_source is missing.");
  if (cell_type !== undefined && cell_type !== cell.cell_type) {
    const { outputs: _, execution_count: __, ...kept } = cell;
    book.set([at], { ...kept, ...fieldsOf(cell_type) });
  }
  book.setSource(at, new_source);
  return changed(`Replaced cell ${at + 1} of ${cells.length}`);
}

function findCell(cells: readonly Cell[], { cell_id, cell_number }: CellChange): number | null {
  if (cell_id === undefined && cell_number === undefined) return null;
  const byId = cells.findIndex(({ id }) => id !== undefined && id === cell_id);
  if (byId !== -1) return byId;
  // Cells without an id are called cell-0, cell-1 by other agents.
  const counted = /^cell-(\d+)$/.exec(cell_id ?? "")?.[1];
  const number = counted === undefined ? Number(cell_id ?? cell_number) - 1 : Number(counted);
  if (Number.isInteger(number) && cells[number]) return number;
  throw new ToolError(`There is no cell ${cell_id ?? cell_number}. ${listed(cells)}`);
}

const listed = (cells: readonly Cell[]): string =>
  `Cells count from 1, as Read shows them; there are ${cells.length}.`;

const fieldsOf = (type: string) =>
  type === "code" ? { cell_type: type, execution_count: null, outputs: [] } : { cell_type: type };

const newCell = (type: string, text: string, minor: number): Cell => ({
  ...fieldsOf(type),
  ...(minor >= 5 ? { id: randomBytes(4).toString("hex") } : {}),
  metadata: {},
  source: toLines(text),
});

type Replace = (source: string, shown: string) => string;

/**
 * The text with `replace` done in the only cell that contains `old`, or in each with `all`. Null: no
 * cell contains it. Throws `ToolError` when several do.
 */
export function editCells(
  text: string,
  { old, all, shown }: { old: string; all: boolean; shown: string },
  replace: Replace,
): { text: string; cells: number[] } | null {
  const book = open(text);
  const wanted = old.replaceAll("\r\n", "\n");
  const having = (book?.cells ?? [])
    .map((cell, at) => ({ cell, at }))
    .filter(({ cell }) => joined(cell.source).includes(wanted));
  if (!book || having.length === 0 || wanted === "") return null;
  const numbers = having.map(({ at }) => at + 1);
  if (having.length > 1 && !all)
    throw new ToolError(
      `old_string occurs in cells ${numbers.join(", ")} of ${shown}. Add surrounding lines to select one, or set replace_all.`,
    );
  for (const { cell, at } of having)
    book.setSource(at, replace(joined(cell.source), `cell ${at + 1} of ${shown}`));
  return { text: book.text, cells: numbers };
}
