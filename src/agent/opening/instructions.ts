import { open, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ContextFact } from "../../protocol/entry.ts";

const names = ["AGENTS.md", "CLAUDE.md"];

/** Most of one file that the model is shown, in bytes. */
const maxFileBytes = 40_000;

/**
 * The user's own instructions (`own`), then AGENTS.md and CLAUDE.md of `cwd` and every folder above
 * it, outermost first. A file that belongs to another user is skipped: anyone could put one in /tmp.
 */
export async function findInstructions(
  cwd: string,
  own: readonly string[],
): Promise<ContextFact[]> {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (dirname(folder) === folder) break;
  }
  const files = [...own, ...folders.flatMap((folder) => names.map((name) => join(folder, name)))];
  const found: ContextFact[] = [];
  const seen = new Set<string>();
  for (const file of files) {
    const text = await readOwn(file);
    if (text === null || text.trim() === "" || seen.has(text)) continue;
    seen.add(text);
    found.push({
      type: "context",
      kind: "instructions",
      title: file,
      content: [{ type: "text", text }],
    });
  }
  return found;
}

async function readOwn(file: string): Promise<string | null> {
  const info = await stat(file).catch(() => null);
  if (!info?.isFile()) return null;
  const uid = process.getuid?.();
  if (uid !== undefined && uid !== 0 && info.uid !== uid && info.uid !== 0) return null;
  const handle = await open(file).catch(() => null);
  if (!handle) return null;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxFileBytes), 0, maxFileBytes, 0);
    const text = buffer.toString("utf8", 0, bytesRead);
    return info.size > maxFileBytes
      ? `${text}\n[${info.size - maxFileBytes} more bytes in ${file}]`
      : text;
  } finally {
    await handle.close();
  }
}
