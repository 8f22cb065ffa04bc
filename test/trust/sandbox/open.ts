/** The sandbox of a folder, without the tools around it. */

import { join } from "node:path";
import { nothingShared } from "../../../src/tools/toolbox.ts";
import { openSandbox } from "../../../src/trust/sandbox/sandbox.ts";

/** Of the sandboxes of one test file. */
const shared = nothingShared();

/** For `afterAll`. */
export async function closePlace(): Promise<void> {
  const { place } = shared;
  shared.place = null;
  await place?.close();
}

type Target = Parameters<typeof openSandbox>[1];

/** `isHidden`: by name, and `/` at the end of its folder. */
export async function sandboxOf(
  root: string,
  home: string,
  more: Partial<Pick<Target, "hiddenFilter" | "maxEntries">> = {},
) {
  const own = join(home, ".mini-claude");
  const folders = { home, own, results: join(own, "tool-results") };
  const workspace = { root, added: [], home, ownResults: () => [] };
  const target = { folders, hiddenFilter: () => () => false, ...more };
  const sandbox = await openSandbox(workspace, target, shared);
  if (sandbox === null) throw new Error("There is no sandbox.");
  return {
    ...sandbox,
    /** The words before a command that has no network, and what they hide from it. */
    confine: (how: { write: boolean; joins?: boolean }) =>
      sandbox.confine({
        joins: false,
        ...how,
        network: "off",
        writable: [],
        path: (process.env["PATH"] ?? "").split(":"),
        cwd: root,
        hidesObjects: false,
        reach: { access: "off", isAllowed: () => false },
      }),
  };
}
