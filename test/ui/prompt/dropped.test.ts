import { expect, test } from "bun:test";
import { droppedImages } from "../../../src/ui/prompt/paste-chips.ts";

const table: [name: string, paste: string, images: string[] | null][] = [
  ["a path", "/tmp/a.png", ["/tmp/a.png"]],
  ["in quotes, with a blank", "'/tmp/my shot.PNG' ", ["/tmp/my shot.PNG"]],
  ["in double quotes", '"/tmp/my \\"shot\\".png"', ['/tmp/my "shot".png']],
  ["escaped", "/tmp/my\\ shot\\ \\(1\\).jpg", ["/tmp/my shot (1).jpg"]],
  ["with bare blanks", "/tmp/my shot 1.jpeg\n", ["/tmp/my shot 1.jpeg"]],
  ["a URL", "file:///tmp/my%20shot.webp", ["/tmp/my shot.webp"]],
  ["several", "/tmp/a.png '/tmp/b c.gif' ~/d.jpg", ["/tmp/a.png", "/tmp/b c.gif", "~/d.jpg"]],
  ["one that is no image", "/tmp/a.png /tmp/b.txt", null],
  ["a URL of elsewhere", "file://host/a.png", null],
  ["a URL of the web", "https://example.com/a.png", null],
  ["prose about one", "look at /tmp/a.png", null],
  ["an open quote", "'/tmp/a.png", null],
  ["nothing", " ", null],
];

for (const [name, paste, images] of table) {
  test(name, () => expect(droppedImages(paste)).toEqual(images));
}
