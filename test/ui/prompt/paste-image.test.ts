/** Ctrl-V in the real program: what the model receives. */

import { afterAll, expect, test } from "bun:test";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { say, startFakeApi } from "../../fake-api/index.ts";
import { idle, program } from "../program.ts";

const on = await program("clipboard");
const api = startFakeApi();
afterAll(async () => {
  await on.remove();
  await api.stop();
});

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("Ctrl-V attaches the image on the clipboard", async () => {
  const bin = join(on.root, "clip");
  await mkdir(bin);
  const file = join(bin, "image.png");
  await Bun.write(file, Buffer.from(pixel, "base64"));
  await Bun.write(join(bin, "xclip"), `#!/bin/sh\ncat ${file}\n`);
  await chmod(join(bin, "xclip"), 0o755);
  api.next(say("A pixel."));
  const env = {
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: "test",
    DISPLAY: ":0",
    PATH: `${bin}:${on.env["PATH"]}`,
  };
  const pty = await on.open({ env });
  await pty.type("look: ");
  await pty.press("ctrl+v");
  await pty.waitFor("look: [Image #1]");
  await pty.press("enter");
  await pty.waitFor((now) => now.includes("A pixel.") && idle.test(now));
  expect(JSON.stringify(api.requests.at(-1)?.body)).toContain('"media_type":"image/png"');
  await Bun.write(join(bin, "xclip"), "#!/bin/sh\nexit 1\n");
  await pty.press("ctrl+v");
  await pty.waitFor("There is no image on the clipboard.");
  await pty.close();
});
