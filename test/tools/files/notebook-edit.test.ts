/** Notebooks are changed by cell, with Edit and with the calls of NotebookEdit. */

import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { leave, room } from "../room.ts";

afterAll(leave);

const code = ["total = 1 + 2\n", 'print("total:", total)'];
const notes = ["# Notes\n", 'say "hi"'];

const cells = {
  cells: [
    {
      cell_type: "code",
      execution_count: 1,
      id: "a1",
      metadata: {},
      outputs: [{ name: "stdout", output_type: "stream", text: ["3\n"] }],
      source: code,
    },
    { cell_type: "markdown", id: "b2", metadata: {}, source: notes },
  ],
  metadata: { kernelspec: { name: "python3" } },
  nbformat: 4,
  nbformat_minor: 5,
};

async function opened(written = (text: string) => text) {
  const at = await room();
  const file = at.put("n.ipynb", written(`${JSON.stringify(cells, null, 1)}\n`));
  expect(await at.say("Read", { file_path: "n.ipynb" })).toContain("id a1]");
  return { at, book: (): typeof cells => JSON.parse(readFileSync(file, "utf8")), file };
}

test.each([
  (text: string) => text,
  (text: string) => text.replaceAll("\n", "\r\n"),
  (text: string) => JSON.stringify(JSON.parse(text), null, "\t"),
  (text: string) => JSON.stringify(JSON.parse(text)),
  // As it would not be written from what is read.
  (text: string) => text.replace('"python3"', '12345678901234567890, "v": 1.0, "e": "\\u00e9"'),
])("Edit finds the text that Read shows, and changes nothing else", async (written) => {
  const { at, file } = await opened(written);
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

test.each<[object, string, string[][]]>([
  [{ cell_id: "b2", new_source: "a\nb" }, "Replaced cell 2 of 2", [code, ["a\n", "b"]]],
  [{ cell_id: "cell-1", new_source: "a" }, "Replaced cell 2 of 2", [code, ["a"]]],
  [{ cell_id: "2", new_source: "" }, "Replaced cell 2 of 2", [code, []]],
  [{ edit_mode: "insert", new_source: "x\n" }, "Inserted cell 1 of 3", [["x\n"], code, notes]],
  [
    { cell_id: "a1", edit_mode: "insert", cell_type: "markdown", new_source: "y" },
    "Inserted cell 2 of 3",
    [code, ["y"], notes],
  ],
  [{ cell_number: 1, edit_mode: "delete", new_source: "" }, "Deleted cell 1; 1 are left", [notes]],
])("NotebookEdit with %j: %s", async (input, said, sources) => {
  const { at, book, file } = await opened();
  const edit = (more: object) => at.say("NotebookEdit", { notebook_path: "n.ipynb", ...more });
  expect(await edit(input)).toBe(`${said} of n.ipynb.`);
  expect(book().cells.map(({ source }) => source)).toEqual(sources);
  expect(readFileSync(file, "utf8")).toBe(`${JSON.stringify(book(), null, 1)}\n`);
});

test.each([
  [
    { cell_id: "zz", new_source: "" },
    "There is no cell zz. Cells count from 1, as Read shows them; ",
  ],
  [{ cell_number: 3, new_source: "" }, "There is no cell 3. Cells count from 1"],
  [{ new_source: "x" }, "Name a cell by cell_id or cell_number. Cells count"],
  [{ cell_id: "a1", edit_mode: "replace" }, "new_source is missing."],
])("NotebookEdit with %j is refused", async (input, why) => {
  const { at, book } = await opened();
  expect(await at.say("NotebookEdit", { notebook_path: "n.ipynb", ...input })).toContain(why);
  expect(book()).toEqual(cells);
});

test("a cell has what its type and the version of the notebook require", async () => {
  const { at, book } = await opened();
  const edit = (more: object) => at.say("NotebookEdit", { notebook_path: "n.ipynb", ...more });
  await edit({ edit_mode: "insert", new_source: "x" });
  const made = {
    cell_type: "code",
    outputs: [],
    execution_count: null,
    metadata: {},
    source: ["x"],
  };
  expect(book().cells[0]).toMatchObject({ ...made, id: expect.stringMatching(/^[0-9a-f]{8}$/) });
  await edit({ cell_number: 2, cell_type: "markdown", new_source: "y" });
  const changed = { cell_type: "markdown", id: "a1", metadata: {}, source: ["y"] };
  expect(book().cells[1]).toMatchObject(changed);
  expect(book().cells[1]).not.toHaveProperty("outputs");
  const old = { nbformat_minor: 4, cells: [{ cell_type: "raw", metadata: {}, source: "a\nb" }] };
  at.put("old.ipynb", JSON.stringify(old));
  const older = { notebook_path: "old.ipynb", cell_number: 1 };
  await at.say("Read", { file_path: "old.ipynb" });
  await edit({ ...older, new_source: "c\nd" });
  await edit({ ...older, edit_mode: "insert", cell_type: "raw", new_source: "e" });
  expect(JSON.parse(readFileSync(join(at.root, "old.ipynb"), "utf8")).cells).toEqual([
    { cell_type: "raw", metadata: {}, source: "c\nd" },
    { cell_type: "raw", metadata: {}, source: ["e"] },
  ]);
  const all = { file_path: "n.ipynb", old_string: "s", new_string: "t", replace_all: true };
  await edit({ cell_number: 1, new_source: "s" });
  expect(await at.say("Edit", all)).toBe("Changed n.ipynb at cell 1, 3.");
  at.put("bad.ipynb", "{}");
  expect(await edit({ notebook_path: "bad.ipynb", edit_mode: "insert" })).toBe(
    "Not a valid notebook; change it with Bash.",
  );
});

test("NotebookEdit is judged as Edit", async () => {
  const { at } = await opened();
  const { verdict } = await at.review("NotebookEdit", {
    notebook_path: "n.ipynb",
    cell_id: "a1",
    new_source: "",
  });
  expect(verdict).toBe(
    await at.verdict("Edit", { file_path: "n.ipynb", old_string: "say", new_string: "x" }),
  );
});
