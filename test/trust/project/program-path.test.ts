import { expect, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { commandEnv, pathOutside } from "../../../src/trust/project/project.ts";
import { testFolder } from "../../folder.ts";

const root = testFolder("path");

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

test("commands get no key, and no program of a project that is not trusted", () => {
  const env = { PATH: `${join(root, "bin")}:/usr/bin`, ANTHROPIC_API_KEY: "sk-ant-0123456789" };
  expect(commandEnv(env, { root, isTrusted: true })).toEqual({ PATH: env.PATH });
  expect(commandEnv(env, { root, isTrusted: false })).toEqual({ PATH: "/usr/bin" });
  expect(commandEnv({}, { root, isTrusted: false })).toEqual({ PATH: "" });
});
