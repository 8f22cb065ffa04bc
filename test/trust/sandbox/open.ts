/** The sandbox of a folder, without the tools around it. */

import { join } from "node:path";
import { nothingShared } from "../../../src/tools/toolbox.ts";
import { openSandbox } from "../../../src/trust/sandbox/sandbox.ts";
import { leave } from "../../tools/room.ts";

/** Of the sandboxes of one test file. */
const shared = nothingShared();

/** For `afterAll`. */
export async function leaveSandboxes(): Promise<void> {
  const { place } = shared;
  shared.place = null;
  await place?.close();
  await leave();
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
  const PATH = process.env["PATH"] ?? "";
  /** The words before a command that has no network, and what they hide from it. */
  const confine = (how: { write: boolean; joins?: boolean }) =>
    sandbox.confine({
      joins: false,
      ...how,
      network: "off",
      writable: [],
      path: PATH.split(":"),
      cwd: root,
      hidesObjects: false,
      reach: { access: "off", isAllowed: () => false },
    });
  return {
    ...sandbox,
    confine,
    /** What a command prints, in the namespaces of all commands, or why it could not be confined. */
    async run(command: string, write: boolean): Promise<string> {
      const start = async (): Promise<string> => {
        const { before, variables } = await confine({ write, joins: true });
        const words = [...before, "/bin/bash", "-c", `exec 2>&1; ${command}`];
        const child = Bun.spawnSync(words, { env: { PATH, HOME: home, ...variables } });
        return `${child.stdout}${child.stderr}`.trimEnd();
      };
      const said = await start();
      // Like commands, again if a file to hide vanished: git tidies up after itself.
      return said.startsWith("bwrap: ") ? start() : said;
    },
  };
}
