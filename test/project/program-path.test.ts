import { afterAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathOutside } from "../../src/project/program-path.ts";

const root = await realpath(await mkdtemp(join(tmpdir(), "path-")));
afterAll(() => rm(root, { recursive: true }));

test("programs of the project are not on the PATH, however its folders are named", async () => {
  const project = join(root, "project");
  await mkdir(join(project, "node_modules", ".bin"), { recursive: true });
  await symlink(join(project, "node_modules"), join(root, "link"));
  const path = [
    join(project, "node_modules/.bin"),
    join(root, "link/.bin"),
    `${project}/x/../node_modules/.bin`,
    project,
    ".",
    "",
    "node_modules/.bin",
    join(root, "project-tools"),
    "/usr/bin",
  ].join(":");
  expect(pathOutside(path, project)).toBe(`${join(root, "project-tools")}:/usr/bin`);
});
