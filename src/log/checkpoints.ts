import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { disk, makeFolder, publishTogether, writeAll } from "../base/durable.ts";
import { LogError, logError } from "./log-error.ts";

const hashPattern = /^[0-9a-f]{64}$/;

/** File contents from before a tool changed them, each stored once under its SHA-256. */
export class Checkpoints {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the hash for `load`; the bytes are durable then. Throws `LogError`. */
  async save(bytes: Uint8Array): Promise<string> {
    const hash = hashBytes(bytes);
    const file = this.#path(hash);
    try {
      if (await Bun.file(file).exists()) return hash;
      makeFolder(join(this.#folder, hash.slice(0, 2)));
      const part = `${file}.${process.pid}.${partNumber++}.part`;
      await writeDurably(part, bytes);
      await publishTogether(part, file);
      return hash;
    } catch (error) {
      throw logError(`A checkpoint cannot be saved in ${this.#folder}`, error);
    }
  }

  /** Throws `LogError` when the content is missing or does not match its hash. */
  async load(hash: string): Promise<Uint8Array> {
    if (!hashPattern.test(hash)) throw new LogError(`“${hash}” is not a checkpoint.`);
    const file = this.#path(hash);
    let bytes: Uint8Array;
    try {
      bytes = await readFile(file);
    } catch (error) {
      throw logError(`The checkpoint ${file} cannot be read`, error);
    }
    if (hashBytes(bytes) !== hash) {
      throw new LogError(`The checkpoint ${file} is damaged and was ignored.`);
    }
    return bytes;
  }

  #path(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), hash);
  }
}

/** Keeps the temporary files of concurrent saves apart. */
let partNumber = 0;

/** The name of a content. */
export const hashBytes = (bytes: Uint8Array): string =>
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
