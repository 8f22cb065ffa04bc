import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Contents of files before a tool changed them, each stored once, named by its SHA-256. */
export class Checkpoints {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Gives the hash under which `load` finds the bytes again. */
  async save(bytes: Uint8Array): Promise<string> {
    const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    const file = this.#fileOf(hash);
    if (await Bun.file(file).exists()) return hash;
    await mkdir(join(this.#folder, hash.slice(0, 2)), { recursive: true, mode: 0o700 });
    const part = `${file}.${process.pid}.part`;
    await writeFile(part, bytes, { mode: 0o600 });
    await chmod(part, 0o600);
    await rename(part, file);
    return hash;
  }

  /** Throws when no such content is kept. */
  load(hash: string): Promise<Uint8Array> {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`“${hash}” is not the name of a checkpoint.`);
    return readFile(this.#fileOf(hash));
  }

  #fileOf(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), hash);
  }
}
