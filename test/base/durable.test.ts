import { afterEach, expect, mock, spyOn, test } from "bun:test";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { disk, makeFolder, syncFolder, writeAll, writeAllSync } from "../../src/base/durable.ts";
import { testFolder } from "../folder.ts";
import { watchDisk } from "../log/watch-disk.ts";

const root = testFolder("durable");
const file = join(root, "file");
afterEach(() => void mock.restore());

const write = {
  writeAll,
  writeAllSync: async (fd: number, bytes: Uint8Array) => writeAllSync(fd, bytes),
};

test.each(["writeAll", "writeAllSync"] as const)(
  "%s repeats a write that took a part, and gives up where the disk takes nothing",
  async (name) => {
    const [all, once] = [disk.write, disk.writeSync];
    spyOn(disk, "write").mockImplementation((fd, bytes, from, length) =>
      all(fd, bytes, from, Math.min(length, 3)),
    );
    spyOn(disk, "writeSync").mockImplementation((fd, bytes, from, length) =>
      once(fd, bytes, from, Math.min(length, 3)),
    );
    const fd = openSync(file, "w");
    await write[name](fd, Buffer.from("ten letters"));
    expect(readFileSync(file, "utf8")).toBe("ten letters");
    spyOn(disk, "write").mockResolvedValue({ bytesWritten: 0 });
    spyOn(disk, "writeSync").mockReturnValue(0);
    await expect(write[name](fd, Buffer.from("x"))).rejects.toThrow("accepted no more data");
    closeSync(fd);
  },
);

test("every new folder is made durable, and a missing one is no error to sync", () => {
  const events = watchDisk(root);
  makeFolder(join(root, "a/b/c"));
  makeFolder(join(root, "a/b/c"));
  expect(events).toEqual(["sync a/b", "sync a", "sync ."]);
  expect(statSync(join(root, "a")).mode & 0o777).toBe(0o700);
  syncFolder(join(root, "none"));
});
