/** The image on the clipboard, read with the system's own programs. */

import type { Environment } from "../../base/environment.ts";

const maxBytes = 64 * 1024 * 1024;

const maxMs = 5_000;

/** Prints the image in base64, because PowerShell's output is text. */
const powershell =
  "Add-Type -AssemblyName System.Windows.Forms,System.Drawing; " +
  "$i = [Windows.Forms.Clipboard]::GetImage(); if ($i) { $m = New-Object IO.MemoryStream; " +
  "$i.Save($m, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray()) }";

type ClipboardReader = { command: string[]; isBase64?: true };

export function readersFor(env: Environment): ClipboardReader[] {
  const wayland: ClipboardReader = { command: ["wl-paste", "--no-newline", "--type", "image/png"] };
  const x11: ClipboardReader = {
    command: ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"],
  };
  const wsl: ClipboardReader = {
    command: ["powershell.exe", "-NoProfile", "-STA", "-Command", powershell],
    isBase64: true,
  };
  return [
    ...(env["WSL_DISTRO_NAME"] ? [wsl] : []),
    ...(env["WAYLAND_DISPLAY"] ? [wayland] : []),
    ...(env["DISPLAY"] ? [x11] : []),
    { command: ["pngpaste", "-"] },
  ].filter(({ command: [name = ""] }) => Bun.which(name, { PATH: env["PATH"] ?? "" }) !== null);
}

/** Null: there is no image on it. Throws with a sentence when nothing here can read it. */
export async function clipboardImage(env: Environment): Promise<Uint8Array | null> {
  const readers = readersFor(env);
  if (readers.length === 0)
    throw new Error(
      "No program here reads images from the clipboard. Install wl-clipboard, xclip or pngpaste.",
    );
  for (const { command, isBase64 } of readers) {
    const bytes = await runReader(command, env);
    if (bytes.length > 0) return isBase64 ? Buffer.from(bytes.toString(), "base64") : bytes;
  }
  return null;
}

/** Empty when the program fails: most do if there is no image. */
async function runReader(command: string[], env: Environment): Promise<Buffer> {
  try {
    const child = Bun.spawn(command, {
      env,
      stdin: "ignore",
      stderr: "ignore",
      timeout: maxMs,
      maxBuffer: maxBytes,
    });
    const bytes = Buffer.from(await child.stdout.bytes());
    return (await child.exited) === 0 ? bytes : Buffer.alloc(0);
  } catch {
    return Buffer.alloc(0);
  }
}
