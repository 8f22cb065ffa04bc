/** Notebooks are changed by cell, with Edit and with the calls of NotebookEdit. */

import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { leave, room } from "../room.ts";

afterAll(leave);

const cells = {
  cells: [
    {
      cell_type: "code",
      execution_count: 1,
      id: "a1",
      metadata: {},
      outputs: [{ name: "stdout", output_type: "stream", text: ["3\n"] }],
      source: ["total = 1 + 2\n", 'print("total:", total)'],
    },
    { cell_type: "markdown", id: "b2", metadata: {}, source: ["# Notes\n", 'say "hi"'] },
  ],
  metadata: { kernelspec: { name: "python3" } },
  nbformat: 4,
  nbformat_minor: 5,
};

async function opened() {
  const at = await room();
  const file = at.put("n.ipynb", `${JSON.stringify(cells, null, 1)}\n`);
  expect(await at.say("Read", { file_path: "n.ipynb" })).toContain("id a1]");
  return { at, book: (): typeof cells => JSON.parse(readFileSync(file, "utf8")), file };
}

test("Edit finds the text that Read shows, and changes nothing else", async () => {
  const { at, file } = await opened();
  const before = readFileSync(file, "utf8");
  const old = 'total = 1 + 2\nprint("total:", total)';
  expect(
    await at.say("Edit", { file_path: "n.ipynb", old_string: old, new_string: 'print("sum")\nx' }),
  ).toBe("Changed n.ipynb at cell 1.");
  expect(readFileSync(file, "utf8")).toBe(
    before
      .replace('"total = 1 + 2\\n"', '"print(\\"sum\\")\\n"')
      .replace('"print(\\"total:\\", total)"', '"x"'),
  );
  const many = await at.say("Edit", { file_path: "n.ipynb", old_string: "s", new_string: "t" });
  expect(many).toContain("old_string occurs in cells 1, 2 of n.ipynb");
});

test("NotebookEdit replaces, inserts and deletes cells by id or number", async () => {
  const { at, book } = await opened();
  const edit = (input: object) => at.say("NotebookEdit", { notebook_path: "n.ipynb", ...input });
  expect(await edit({ cell_id: "b2", new_source: "# New\nline" })).toBe(
    "Replaced cell 2 of 2 of n.ipynb.",
  );
  expect(book().cells[1]?.source).toEqual(["# New\n", "line"]);
  await edit({ cell_id: "a1", edit_mode: "insert", cell_type: "code", new_source: "y = 2" });
  expect(book().cells.map(({ source }) => source[0])).toEqual([
    "total = 1 + 2\n",
    "y = 2",
    "# New\n",
  ]);
  expect(book().cells[1]).toMatchObject({ cell_type: "code", outputs: [], execution_count: null });
  expect(await edit({ cell_number: 3, edit_mode: "delete", new_source: "" })).toContain(
    "Deleted cell 3",
  );
  expect(book().cells).toHaveLength(2);
  expect(await edit({ cell_id: "zz", new_source: "" })).toContain("There is no cell zz.");
  expect(book().cells[0]).toEqual(cells.cells[0]);
});

test("NotebookEdit is judged as Edit", async () => {
  const { at } = await opened();
  const { verdict } = await at.review("NotebookEdit", {
    notebook_path: "n.ipynb",
    cell_id: "a1",
    new_source: "",
  });
  expect(verdict).toBe(
    (await at.review("Edit", { file_path: "n.ipynb", old_string: "say", new_string: "x" })).verdict,
  );
});
