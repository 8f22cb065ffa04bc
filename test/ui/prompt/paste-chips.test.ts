import { expect, test } from "bun:test";
import type { ImageBlock } from "../../../src/protocol/block.ts";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

const image: ImageBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "" },
};

/** The prompt after a paste, and the paths that were read as images. */
async function paste(text: string): Promise<{ prompt: string; read: string[] }> {
  const read: string[] = [];
  const readImage = async (path: string) => {
    read.push(path);
    return image;
  };
  const on = stage(new Builder(), { services: { readImage } });
  await on.emit({ type: "paste", text });
  return { prompt: on.prompt(), read };
}

test("a long paste is folded, a short one is not; the break after its last line is no line", async () => {
  expect((await paste("a line\n".repeat(5_000))).prompt).toMatch(/^\[Pasted #\d+, 5,000 lines\]$/);
  expect((await paste("x".repeat(801))).prompt).toMatch(/^\[Pasted #\d+, 801 characters\]$/);
  expect((await paste("x".repeat(800))).prompt).toBe("x".repeat(800));
  expect((await paste("\n".repeat(9))).prompt).toBe("\n".repeat(9));
  expect((await paste("\n".repeat(10))).prompt).toMatch(/^\[Pasted #\d+, 10 lines\]$/);
  expect((await paste("one\r\ntwo\rthree")).prompt).toBe("one\ntwo\nthree");
  expect((await paste("\x1b[31mred\x1b[0m\ta\x07b\n\x1bword\x1b")).prompt).toBe("red\tab\nword");
});

test("a folded paste is sent in full", async () => {
  const on = stage(new Builder());
  await on.emit({ type: "paste", text: "row\n".repeat(20) });
  await on.press(" end\r");
  expect(on.sent).toMatchObject([{ content: [{ text: `${"row\n".repeat(20)} end` }] }]);
});

const table: [name: string, paste: string, images: string[]][] = [
  ["a path", "/tmp/a.png", ["/tmp/a.png"]],
  ["in quotes, with a blank", "'/tmp/my shot.PNG' ", ["/tmp/my shot.PNG"]],
  ["in double quotes", '"/tmp/my \\"shot\\".png"', ['/tmp/my "shot".png']],
  ["escaped", "/tmp/my\\ shot\\ \\(1\\).jpg", ["/tmp/my shot (1).jpg"]],
  ["with bare blanks", "/tmp/my shot 1.jpeg\n", ["/tmp/my shot 1.jpeg"]],
  ["a URL", "file:///tmp/my%20shot.webp", ["/tmp/my shot.webp"]],
  ["several", "/tmp/a.png '/tmp/b c.gif' ~/d.jpg", ["/tmp/a.png", "/tmp/b c.gif", "~/d.jpg"]],
  ["one that is no image", "/tmp/a.png /tmp/b.txt", []],
  ["a URL of elsewhere", "file://host/a.png", []],
  ["a URL of the web", "https://example.com/a.png", []],
  ["prose about one", "look at /tmp/a.png", []],
  ["an open quote", "'/tmp/a.png", []],
  ["nothing", " ", []],
];

test.each(table)("dropped images: %s", async (_, text, images) => {
  const { prompt, read } = await paste(text);
  expect(read).toEqual(images);
  expect(prompt.match(/\[Image #\d+\]/g) ?? []).toHaveLength(images.length);
});

test("an image of the clipboard is attached", async () => {
  const on = stage(new Builder(), { services: { clipboardImage: async () => image } });
  await on.press("<ctrl+v>", "<enter>");
  expect(on.sent).toMatchObject([{ type: "prompt", content: [image, { type: "text" }] }]);
});

test("what fails is said, and what was pasted is kept", async () => {
  const fails = () => Promise.reject(new Error("It is too large."));
  const services = { readImage: fails, clipboardImage: fails, saveHistory: fails };
  const on = stage(new Builder(), { services });
  await on.emit({ type: "paste", text: "/tmp/a.png" });
  expect(on.message()).toBe("The image was not attached: It is too large.");
  expect(on.prompt()).toBe("/tmp/a.png");
  await on.press("<ctrl+v>");
  expect(on.message()).toBe("It is too large.");
  await on.press("<enter>");
  expect(on.message()).toBe("The prompt was not saved to the history: It is too large.");
});
