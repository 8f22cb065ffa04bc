import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { LogError, reasonOf } from "./log-error.ts";

const hashPattern = /^[0-9a-f]{64}$/;

/** Contents of files before a tool changed them, each stored once, named by its SHA-256. */
export class Checkpoints {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Gives the hash under which `load` finds the bytes again. They are durable then. */
  async save(bytes: Uint8Array): Promise<string> {
    const hash = hashOf(bytes);
    const file = this.#fileOf(hash);
    try {
      if (await Bun.file(file).exists()) return hash;
      await mkdir(join(this.#folder, hash.slice(0, 2)), { recursive: true, mode: 0o700 });
      const part = `${file}.${process.pid}.${partNumber++}.part`;
      await writeDurably(part, bytes);
      await rename(part, file);
      return hash;
    } catch (error) {
      throw new LogError(
        `The content of a file cannot be kept in ${this.#folder}: ${reasonOf(error)}.`,
        { cause: error },
      );
    }
  }

  /** Throws `LogError` when no such content is kept, or what is kept is not that content. */
  async load(hash: string): Promise<Uint8Array> {
    if (!hashPattern.test(hash)) throw new LogError(`“${hash}” is not the name of a checkpoint.`);
    const file = this.#fileOf(hash);
    let bytes: Uint8Array;
    try {
      bytes = await readFile(file);
    } catch (error) {
      throw new LogError(`The checkpoint ${file} cannot be read: ${reasonOf(error)}.`, {
        cause: error,
      });
    }
    if (hashOf(bytes) !== hash) {
      throw new LogError(`The checkpoint ${file} is damaged; it is not used.`);
    }
    return bytes;
  }

  /**
   * Removes every content that no log refers to (see `referencesIn`), except those younger than
   * `olderThanMs` since the epoch, whose log entry may be on its way. Gives the bytes freed.
   */
  async prune(referred: ReadonlySet<string>, olderThanMs: number): Promise<number> {
    let freed = 0;
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const folder = join(this.#folder, name);
      for (const hash of await readdir(folder).catch(() => [])) {
        if (referred.has(hash)) continue;
        const file = join(folder, hash);
        const info = await stat(file).catch(() => null);
        if (!info?.isFile() || info.mtimeMs >= olderThanMs) continue;
        await rm(file, { force: true });
        freed += info.size;
      }
    }
    return freed;
  }

  #fileOf(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), hash);
  }
}

/** Tells apart the files of writes that are under way side by side. */
let partNumber = 0;

const hashOf = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

async function writeDurably(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, "w", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.datasync();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}
