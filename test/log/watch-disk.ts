import { afterEach, spyOn } from "bun:test";
import { fstatSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { disk } from "../../src/base/durable.ts";

/**
 * Records writes, syncs and renames in a folder as they start, such as "sync s.jsonl". The folder
 * itself is ".". `bytesAtOnce`: the maximum of a single write.
 */
export function watchDisk(root: string, { bytesAtOnce = Infinity } = {}): string[] {
  const events: string[] = [];
  const { write, writeSync, fsync, fsyncTogether, fdatasync, rename } = disk;
  const record = (what: string, fd: number): void => {
    const { ino } = fstatSync(fd);
    const names = [".", ...readdirSync(root, { recursive: true, encoding: "utf8" })];
    const name = names.find((name) => statSync(join(root, name)).ino === ino);
    events.push(`${what} ${name ?? "outside"}`);
  };
  const spies = [
    spyOn(disk, "write").mockImplementation((fd, bytes, from, length) => {
      record("write", fd);
      return write(fd, bytes, from, Math.min(length, bytesAtOnce));
    }),
    spyOn(disk, "writeSync").mockImplementation((fd, ...rest) => {
      record("write", fd);
      return writeSync(fd, ...rest);
    }),
    spyOn(disk, "fsync").mockImplementation((fd) => {
      record("sync", fd);
      fsync(fd);
    }),
    spyOn(disk, "fsyncTogether").mockImplementation((fd) => {
      record("sync", fd);
      return fsyncTogether(fd);
    }),
    spyOn(disk, "fdatasync").mockImplementation((fd) => {
      record("sync", fd);
      return fdatasync(fd);
    }),
    spyOn(disk, "rename").mockImplementation((from, to) => {
      events.push(`rename ${relative(root, String(from))} to ${relative(root, String(to))}`);
      rename(from, to);
    }),
  ];
  afterEach(() => spies.forEach((spy) => spy.mockRestore()));
  return events;
}
