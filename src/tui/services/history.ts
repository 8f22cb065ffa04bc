import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Prompts that are remembered. */
const most = 1_000;

/** Earlier prompts, oldest first. A line that cannot be read is passed over. */
export async function loadHistory(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const prompts = text.split("\n").flatMap((line) => {
    try {
      const prompt: unknown = JSON.parse(line);
      return typeof prompt === "string" ? [prompt] : [];
    } catch {
      return [];
    }
  });
  return prompts.slice(-most);
}

export async function saveHistory(file: string, prompt: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await appendFile(file, `${JSON.stringify(prompt)}\n`, { mode: 0o600 });
}
