import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { SourceFile } from "../../../src/commands/import/source-file.ts";

test("a small file that unpacks to a huge one is refused", () => {
  const folder = mkdtempSync(join(tmpdir(), "import-"));
  const bomb = join(folder, "rollout.jsonl.zst");
  const frame = zstdCompressSync(Buffer.alloc(32 * 1024 ** 2));
  writeFileSync(bomb, Buffer.concat(Array.from({ length: 9 }, () => frame)));
  expect(() => new SourceFile(bomb)).toThrow("it is larger than 256 MB unpacked");
  rmSync(folder, { recursive: true });
});
