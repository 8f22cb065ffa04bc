/** A progress bar for long work, shown once it has taken a while. */

import { progressBar, type Progress } from "../base/long-work.ts";
import type { Host } from "./host.ts";

/** Work that is done sooner shows no bar. */
const patienceMs = 150;

const cells = 24;

/** Calls `show` with the bar, and with how many parts are done. */
export function longWork(
  host: Pick<Host, "nowMs">,
  show: (bar: string, done: number, of: number) => void,
): Progress {
  const startMs = host.nowMs;
  return (done, of) => {
    if (host.nowMs - startMs >= patienceMs) show(progressBar(done, of, cells), done, of);
  };
}
