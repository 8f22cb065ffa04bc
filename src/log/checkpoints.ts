import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { disk, makeFolder, publishTogether, writeAll } from "../base/durable.ts";
import { LogError, logError } from "./log-error.ts";

/** The name of a content, as git gives it. */
export const contentId = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");

/** The name of a content in sessions of earlier versions. */
export const earlierContentId = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(bytes).digest("hex");

export const isContentId = (name: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name);

/** File contents from before a tool changed them, each stored once under its name. */
export class Checkpoints {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the name for `load`; the bytes are durable then. Throws `LogError`. */
  async save(bytes: Uint8Array): Promise<string> {
    const hash = contentId(bytes);
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
    if (!isContentId(hash)) throw new LogError(`“${hash}” is not a checkpoint.`);
    const file = this.#path(hash);
    let bytes: Uint8Array;
    try {
      bytes = await readFile(file);
    } catch (error) {
      throw logError(`The checkpoint ${file} cannot be read`, error);
    }
    if (![contentId(bytes), earlierContentId(bytes)].includes(hash)) {
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
