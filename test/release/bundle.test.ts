import { expect, test } from "bun:test";
import { join } from "node:path";
import { z } from "zod";
import { bundling, repositoryRoot, runCommand } from "../../src/release/compile.ts";
import { testFolder } from "../folder.ts";

const folder = testFolder("bundle");

test("the program has neither React's devtools nor what React needs in development", async () => {
  const metafile = join(folder, "meta.json");
  const args = [...bundling, "--target=bun", `--outdir=${folder}`, `--metafile=${metafile}`];
  await runCommand(process.execPath, ["build", "src/cli.tsx", ...args], repositoryRoot);
  const { outputs } = z
    .object({
      outputs: z.record(z.string(), z.unknown()),
    })
    .parse(await Bun.file(metafile).json());
  const code = await Promise.all(
    Object.keys(outputs).map((file) => Bun.file(join(folder, file)).text()),
  );
  expect(code.filter((text) => text.includes("react-devtools-core")).length).toBe(0);
  // Of React, only what is in production.
  expect(code.filter((text) => text.includes("react-stack-top-frame")).length).toBe(0);
});
