import type { Diagnostics } from "./diagnostics.ts";
import { systemClock } from "../../base/clock.ts";
import type { ToolRunner } from "../../tools/tool-runner.ts";

/** For a trusted folder, without symlinks. Loaded with the first change of a file. */
export function openDiagnostics(
  { root, cwd }: { root: string; cwd: string },
  PATH: string,
  toolbox: Pick<ToolRunner, "launchOf">,
): Diagnostics {
  let opened: Promise<Diagnostics> | null = null;
  const open = async (): Promise<Diagnostics> => {
    const { diagnosticsOf } = await import("./diagnostics.ts");
    const launch = (program: readonly string[], folder: string) =>
      toolbox.launchOf(program, folder);
    return diagnosticsOf({ root, cwd, PATH, launch, clock: systemClock });
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
