/** A Jupyter notebook, cell by cell, with its outputs. */

import { z } from "zod";
import { parseJson } from "../../base/guards.ts";
import { cutMiddle } from "../../base/clip.ts";
import { ToolError } from "../tool.ts";
import { cleanOutput } from "../shell/clean-output.ts";

/** One text, or its lines. */
export const notebookText = z.union([z.string(), z.array(z.string())]);

export const joined = (text: z.infer<typeof notebookText>): string => [text].flat().join("");

const lines = notebookText.transform(joined);

const output = z.looseObject({
  text: lines.optional(),
  data: z.looseObject({ "text/plain": lines.optional().catch(undefined) }).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
  traceback: z.array(z.string()).optional(),
});

const notebook = z.looseObject({
  cells: z.array(
    z.looseObject({
      cell_type: z.string(),
      id: z.string().optional().catch(undefined),
      source: lines,
      execution_count: z.number().nullish(),
      outputs: z.array(output).optional().catch(undefined),
    }),
  ),
});

const outputChars = 4_000;

/** Cells from `first` (1-based), within `maxChars`. Throws `ToolError`. */
export function readNotebook(
  json: string,
  { first, count, maxChars }: { first: number; count: number; maxChars: number },
): { text: string; last: number; total: number } {
  const { data } = notebook.safeParse(parseJson(json));
  if (!data) throw new ToolError("Not a valid notebook; read it with Bash.");
  const total = data.cells.length;
  let text = "";
  let last = first - 1;
  for (const [at, cell] of data.cells.entries()) {
    if (at + 1 < first || at + 1 >= first + count) continue;
    const number = cell.execution_count == null ? "" : `, run ${cell.execution_count}`;
    const outputs = (cell.outputs ?? []).map(describeOutput).filter((shown) => shown !== "");
    const id = cell.id === undefined ? "" : `, id ${cell.id}`;
    const shown = [
      `[Cell ${at + 1} of ${total}: ${cell.cell_type}${number}${id}]`,
      cell.source,
      ...outputs.map((words) => `[Output]\n${cutMiddle(words, outputChars)}`),
    ].join("\n");
    if (last >= first && text.length + shown.length > maxChars) break;
    text += `${text === "" ? "" : "\n\n"}${cutMiddle(shown, maxChars)}`;
    last = at + 1;
  }
  return { text, last, total };
}

function describeOutput({ text, data, ename, evalue, traceback }: z.infer<typeof output>): string {
  if (ename !== undefined)
    return cleanOutput(traceback?.join("\n") ?? `${ename}: ${evalue ?? ""}`).trimEnd();
  const others = Object.keys(data ?? {}).filter((type) => type.startsWith("image/"));
  return [
    cleanOutput(text ?? data?.["text/plain"] ?? "").trimEnd(),
    ...others.map((type) => `(${type})`),
  ]
    .filter((part) => part !== "")
    .join("\n");
}
