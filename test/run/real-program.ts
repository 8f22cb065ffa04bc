/** The program in its own folders, against the strict fake API. */

import { afterAll, afterEach, expect } from "bun:test";
import { join } from "node:path";
import { sandbox, type Sandbox } from "../bin.ts";
import { inProcess } from "../in-process.ts";
import { startFakeApi } from "../fake-api/index.ts";

/** For one test file: the API refused nothing, and everything is removed at the end. */
export function realProgram(name: string, key = "sk-ant-test") {
  const api = startFakeApi();
  const boxes: Sandbox[] = [];
  afterEach(() => expect(api.refusals).toEqual([]));
  afterAll(async () => {
    await api.stop();
    await Promise.all(boxes.map((box) => box.remove()));
  });
  return {
    api,
    env: { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: api.url },
    /** `files`: by path, relative to the root of the sandbox. */
    async boxWith(files: Record<string, string>): Promise<Sandbox> {
      const box = inProcess(await sandbox(name));
      boxes.push(box);
      for (const [file, text] of Object.entries(files)) await Bun.write(join(box.root, file), text);
      return box;
    },
  };
}
