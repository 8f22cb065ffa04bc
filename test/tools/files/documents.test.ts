/** PDFs and notebooks, as Read shows them. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { blockText, type ResultBlock } from "../../../src/protocol/block.ts";
import { bundledLibrary } from "../../builds.ts";
import { leave, room, temporaryFolder } from "../room.ts";

afterAll(leave);

/** A PDF whose pages each hold a line of text; an empty one is blank, as a scan is for a reader of text, and wide. */
function pdf(pages: readonly string[]): Uint8Array {
  const font = 3 + pages.length * 2;
  const kids = pages.map((_, n) => `${3 + n * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    ...pages.flatMap((text, n) => {
      const [width, height] = text === "" ? [1200, 800] : [612, 792];
      // Red at the top left.
      const stream = `1 0 0 rg 0 ${height - 50} 50 50 re f BT /F1 24 Tf 72 700 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${4 + n * 2} 0 R /Resources << /Font << /F1 ${font} 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let file = "%PDF-1.4\n";
  const starts = objects.map((object, n) => {
    const at = file.length;
    file += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const xref = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${starts.join("")}`;
  const trailer = `trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + xref + trailer, "latin1");
}

const sentences = [
  "The first page of it all.",
  "The second page of it all.",
  "The third page of it.",
];

test.concurrent("a PDF is read as the text of its pages, some at a time", async () => {
  const at = await room();
  at.put("a.pdf", pdf(sentences));
  expect(await at.say("Read", { file_path: "a.pdf" })).toBe(
    sentences.map((text, n) => `[Page ${n + 1} of 3]\n${text}`).join("\n"),
  );
  expect(await at.say("Read", { file_path: "a.pdf", offset: 2, limit: 1 })).toBe(
    "[Page 2 of 3]\nThe second page of it all.\n[Pages 2-2 of 3. Continue with offset 3.]",
  );
});

/** The size of an image, its first pixel, and the average of all. */
async function seen(block: ResultBlock | undefined) {
  if (block?.type !== "image") throw new Error("no image");
  const png = Buffer.from(block.source.data, "base64");
  const { width, height } = await new Bun.Image(png).metadata();
  const all = await new Bun.Image(png).resize(1, 1).png().bytes();
  return [width, height, ...firstPixel(png), ...firstPixel(Buffer.from(all))];
}

function firstPixel(png: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  return inflateSync(Buffer.concat(parts)).subarray(1, 4);
}

test.concurrent(
  "pages are shown as images when that is asked for, or when they have no text",
  async () => {
    const at = await room();
    at.put("a.pdf", pdf([...sentences, ...Array.from({ length: 7 }, () => "")]));
    const asked = await at.run("Read", { file_path: "a.pdf", offset: 1, limit: 1, images: true });
    expect(asked.content.map(({ type }) => type)).toEqual(["text", "image", "text"]);
    expect(asked.content[0]).toEqual({ type: "text", text: "[Page 1 of 10]" });
    expect(await seen(asked.content[1])).toEqual([918, 1188, 255, 0, 0, 255, 255, 255]);
    const scan = await at.run("Read", { file_path: "a.pdf", offset: 4 });
    const types = scan.content.map(({ type }) => type).join(" ");
    expect(types).toBe(`${"text image ".repeat(5)}text`);
    expect(blockText(scan.content)).toEndWith("[Pages 4-8 of 10. Continue with offset 9.]");
    expect(await seen(scan.content[1])).toEqual([1600, 1066, 255, 0, 0, 255, 255, 255]);
  },
);

test.concurrent(
  "a page of a PDF that does not fit behind the others comes with the next call",
  async () => {
    const at = await room();
    at.put("a.pdf", pdf(["x".repeat(15_000), "y".repeat(12_648), "z".repeat(30)]));
    const text = await at.say("Read", { file_path: "a.pdf" });
    expect(text.match(/x+|y+|z+/g)?.map(({ length }) => length)).toEqual([15_000, 12_648]);
    expect(text).toEndWith("[Pages 1-2 of 3. Continue with offset 3.]");
    at.put("a.pdf", pdf(["x".repeat(15_000), "y".repeat(12_649), "z".repeat(30)]));
    const first = await at.say("Read", { file_path: "a.pdf" });
    expect(first).toEndWith("x\n[Pages 1-1 of 3. Continue with offset 2.]");
  },
);

test.concurrent("what only calls itself a PDF is refused with a sentence", async () => {
  const at = await room();
  at.put("a.pdf", "%PDF-1.4 nonsense");
  const outcome = await at.run("Read", { file_path: "a.pdf" });
  expect(outcome.isError).toBe(true);
  expect(blockText(outcome.content)).toStartWith("a.pdf: Cannot be read as a PDF");
});

test.concurrent("the bundled library reads one, wherever it is started", async () => {
  const lib = await bundledLibrary(temporaryFolder());
  const [module = ""] = await Array.fromAsync(new Bun.Glob("pdf-*.js").scan(lib));
  const wanted = JSON.stringify({ first: 2, count: 1, asImages: false, maxChars: 100 });
  const child = Bun.spawn([process.execPath, join(lib, module), "--pages-of-pdf", wanted], {
    stdin: pdf(sentences),
    cwd: "/",
  });
  expect(await child.stdout.text()).toContain("The second page");
});

test.concurrent("a notebook is read cell by cell, with its outputs", async () => {
  const at = await room();
  const code = (source: string, outputs: unknown[]) => ({
    cell_type: "code",
    execution_count: 3,
    source: [source, "\n", "more"],
    outputs,
  });
  at.put(
    "a.ipynb",
    JSON.stringify({
      cells: [
        { cell_type: "markdown", source: "# Title" },
        code("print(1)", [
          { output_type: "stream", text: ["1\n", "2\n"] },
          { output_type: "display_data", data: { "image/png": "aGk=", "text/plain": "<Figure>" } },
        ]),
        code("fail()", [
          { output_type: "error", ename: "E", evalue: "v", traceback: ["\u001b[31mE: v", "at x"] },
          { output_type: "error", ename: "F", evalue: "w" },
        ]),
      ],
    }),
  );
  const text = await at.say("Read", { file_path: "a.ipynb" });
  expect(text).toBe(
    "[Cell 1 of 3: markdown]\n# Title\n\n" +
      "[Cell 2 of 3: code, run 3]\nprint(1)\nmore\n[Output]\n1\n2\n[Output]\n<Figure>\n(image/png)\n\n" +
      "[Cell 3 of 3: code, run 3]\nfail()\nmore\n[Output]\nE: v\nat x\n[Output]\nF: w",
  );
  expect(await at.say("Read", { file_path: "a.ipynb", offset: 2, limit: 1 })).toEndWith(
    "\n[Cells 2-2 of 3. Continue with offset 3.]",
  );
  expect(await at.say("Read", { file_path: "a.ipynb", offset: 4 })).toBe(
    "[Cell 4 is past the end: there are 3.]",
  );
  const large = code("y".repeat(20_000), [{ output_type: "stream", text: "z".repeat(4_001) }]);
  at.put("a.ipynb", JSON.stringify({ cells: [large, large] }));
  const first = await at.say("Read", { file_path: "a.ipynb" });
  expect(first).toContain("y\nmore\n[Output]\nz");
  expect(first).toMatch(
    /\[\.\.\. \d+ characters cut \.\.\.\][^y]*\n\[Cells 1-1 of 2\. Continue with offset 2\.\]$/,
  );
  at.put("b.ipynb", "{}");
  expect(await at.say("Read", { file_path: "b.ipynb" })).toContain("Not a valid notebook");
});
