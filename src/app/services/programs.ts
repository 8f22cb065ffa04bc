/** The user's own editor, and the system's programs that read the clipboard. */

import { appendFile, mkdir, mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { attempt } from "../../base/guards.ts";

const isWindows = process.platform === "win32";

/** In $VISUAL, $EDITOR, vi or Notepad. Throws when it cannot start or fails. */
export function editText(text: string, env: Environment): Promise<string> {
  return withFile("prompt.md", text, async (file) => {
    const { command, code } = await edit(file, env);
    if (code !== 0)
      throw new Error(`The editor “${command}” exited with ${code}; the prompt is unchanged.`);
    return (await readFile(file, "utf8")).replace(/\n$/, "");
  });
}

/** Opens a file in the same editor; a new one is only the user's to read (0600). */
export async function editFile(file: string, env: Environment): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await appendFile(file, "", { mode: 0o600 });
  await edit(file, env);
}

async function edit(file: string, env: Environment) {
  const command = firstSet(env["VISUAL"], env["EDITOR"]) ?? (isWindows ? "notepad" : "vi");
  return { command, code: await run(command, file, env) };
}

/** A variable that is set to nothing counts as not set. */
const firstSet = (...commands: (string | undefined)[]): string | undefined =>
  commands.find((command) => command !== undefined && command.trim() !== "");

async function withFile<T>(name: string, text: string, work: (file: string) => Promise<T>) {
  await using folder = await mkdtempDisposable(join(tmpdir(), "mini-claude-"));
  const file = join(folder.path, name);
  await writeFile(file, text, { mode: 0o600 });
  return await work(file);
}

const running = new Set<Bun.Subprocess>();

const graceMs = 300;

/** Ends the running programs when this one ends. Editors keep a copy of the unsaved text. */
export async function endPrograms(): Promise<void> {
  const ended = [...running].map((child) => {
    child.kill("SIGTERM");
    child.unref();
    return child.exited;
  });
  if (ended.length > 0) await Promise.race([Promise.all(ended), Bun.sleep(graceMs)]);
}

async function run(command: string, file: string, env: Environment): Promise<number> {
  const words = command.split(/\s+/).filter((word) => word !== "");
  try {
    const child = Bun.spawn([...words, file], { env, stdio: ["inherit", "inherit", "inherit"] });
    running.add(child);
    return await child.exited.finally(() => running.delete(child));
  } catch {
    throw new Error(`“${words[0]}” could not be started. Set EDITOR to an installed program.`);
  }
}

/** Copies with a program in Apple's Terminal, which ignores OSC 52. */
export function copyWithProgram(text: string, { TERM_PROGRAM }: Environment = process.env): void {
  if (TERM_PROGRAM !== "Apple_Terminal") return;
  const how = { env: { LC_CTYPE: "UTF-8" }, stdin: new Blob([text]) };
  attempt(() => Bun.spawn(["/usr/bin/pbcopy"], { ...how, stdout: "ignore" }).unref(), undefined);
}

const maxBytes = 64 * 1024 * 1024;

const maxMs = 5_000;

/** Prints the image in base64, because PowerShell's output is text. */
const powershell =
  "Add-Type -AssemblyName System.Windows.Forms,System.Drawing; " +
  "$i = [Windows.Forms.Clipboard]::GetImage(); if ($i) { $m = New-Object IO.MemoryStream; " +
  "$i.Save($m, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray()) }";

type ClipboardReader = {
  command: string[];
  /** Decodes the image from output that is text. */
  decode?(output: string): Buffer;
};

function readersFor(env: Environment): ClipboardReader[] {
  const wayland: ClipboardReader = { command: ["wl-paste", "--no-newline", "--type", "image/png"] };
  const x11: ClipboardReader = {
    command: ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"],
  };
  const windows: ClipboardReader = {
    command: ["powershell.exe", "-NoProfile", "-STA", "-Command", powershell],
    decode: (output) => Buffer.from(output, "base64"),
  };
  // It prints «data PNGf89504E47…».
  const macos: ClipboardReader = {
    command: ["osascript", "-e", "get the clipboard as «class PNGf»"],
    decode: (output) => Buffer.from(/PNGf([\dA-F]+)/.exec(output)?.[1] ?? "", "hex"),
  };
  return [
    ...(isWindows || env["WSL_DISTRO_NAME"] ? [windows] : []),
    ...(env["WAYLAND_DISPLAY"] ? [wayland] : []),
    ...(env["DISPLAY"] ? [x11] : []),
    macos,
  ].filter(({ command: [name = ""] }) => Bun.which(name, { PATH: env["PATH"] ?? "" }) !== null);
}

/** Null: there is no image on it. Throws with a sentence when nothing here can read it. */
export async function clipboardImage(env: Environment): Promise<Uint8Array | null> {
  const readers = readersFor(env);
  if (readers.length === 0)
    throw new Error(
      "No program here reads images from the clipboard. Install wl-clipboard or xclip.",
    );
  for (const { command, decode } of readers) {
    const output = await runReader(command, env);
    const bytes = decode ? decode(output.toString()) : output;
    if (bytes.length > 0) return bytes;
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
