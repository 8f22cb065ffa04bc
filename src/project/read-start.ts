import { realpath } from "node:fs/promises";
import { openRegular } from "../disk/regular-file.ts";

type FileStart = {
  /** The first bytes, as text. */
  text: string;
  /** Bytes of the whole file. */
  size: number;
};

/** The start of a regular file, if `accepts` its real path. Null for everything else. */
export async function readStart(
  path: string,
  bytes: number,
  accepts: (realPath: string) => boolean,
): Promise<FileStart | null> {
  try {
    const real = await realpath(path);
    if (!accepts(real)) return null;
    await using file = await openRegular(real);
    const { buffer, bytesRead } = await file.handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return { text: buffer.toString("utf8", 0, bytesRead), size: Number(file.stat.size) };
  } catch {
    return null;
  }
}
