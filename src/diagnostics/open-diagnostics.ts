import type { Diagnostics } from "./diagnostics.ts";
import { systemClock } from "../protocol/clock.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";

/** The language servers of a session. */
export type SessionDiagnostics = Pick<Diagnostics, "changed" | "news" | "close">;

/** For a trusted folder, without symlinks. Loaded with the first change of a file. */
export function openDiagnostics(
  { root, cwd }: { root: string; cwd: string },
  PATH: string,
  toolbox: () => Pick<ToolRunner, "launchOf">,
): SessionDiagnostics {
  let opened: Promise<Diagnostics> | null = null;
  const open = async (): Promise<Diagnostics> => {
    const { Diagnostics } = await import("./diagnostics.ts");
    const launch = (program: readonly string[], folder: string) =>
      toolbox().launchOf(program, folder);
    return new Diagnostics({ root, cwd, PATH, launch, clock: systemClock });
  };
  return {
    changed(change) {
      opened ??= open();
      void opened.then((diagnostics) => diagnostics.changed(change));
    },
    news: async (signal) => (await opened)?.news(signal) ?? [],
    close: async () => (await opened)?.close(),
  };
}
