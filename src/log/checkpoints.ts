import { open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { disk, makeFolder, publish, writeAll } from "../disk/durable.ts";
import { LogError, reasonOf } from "./log-error.ts";

const hashPattern = /^[0-9a-f]{64}$/;

/** File contents from before a tool changed them, each stored once under its SHA-256. */
export class Checkpoints {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the hash for `load`; the bytes are durable then. Throws `LogError`. */
  async save(bytes: Uint8Array): Promise<string> {
    const hash = hashOf(bytes);
    const file = this.#fileOf(hash);
    try {
      if (await Bun.file(file).exists()) return hash;
      makeFolder(join(this.#folder, hash.slice(0, 2)));
      const part = `${file}.${process.pid}.${partNumber++}.part`;
      await writeDurably(part, bytes);
      publish(part, file);
      return hash;
    } catch (error) {
      throw new LogError(`A checkpoint cannot be saved in ${this.#folder}: ${reasonOf(error)}.`, {
        cause: error,
      });
    }
  }

  /** Throws `LogError` when the content is missing or does not match its hash. */
  async load(hash: string): Promise<Uint8Array> {
    if (!hashPattern.test(hash)) throw new LogError(`“${hash}” is not a checkpoint.`);
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
      throw new LogError(`The checkpoint ${file} is damaged and was ignored.`);
    }
    return bytes;
  }

  /**
   * Removes contents that no log refers to (see `referencesIn`) and that were saved before
   * `beforeMs` since the epoch: the log entry of a younger one may not be written yet. Returns the
   * bytes freed.
   */
  async prune(referred: ReadonlySet<string>, beforeMs: number): Promise<number> {
    let freed = 0;
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const folder = join(this.#folder, name);
      for (const hash of await readdir(folder).catch(() => [])) {
        if (referred.has(hash)) continue;
        const file = join(folder, hash);
        const info = await stat(file).catch(() => null);
        if (!info?.isFile() || info.mtimeMs >= beforeMs) continue;
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

/** Keeps the temporary files of concurrent saves apart. */
let partNumber = 0;

const hashOf = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

async function writeDurably(file: string, bytes: Uint8Array): Promise<void> {
  await using handle = await open(file, "w", 0o600);
  try {
    await writeAll(handle.fd, bytes);
    await disk.fdatasync(handle.fd);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}
