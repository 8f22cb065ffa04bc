/** Reads a session of Claude Code: `scan.ts` finds its messages, then each branch is converted. */

import type { Reader } from "../source.ts";
import { convert } from "./converter.ts";
import { isClaudeLine } from "./line.ts";
import { Scan } from "./scan.ts";

export const claudeCode: Reader = {
  recognizes: isClaudeLine,
  read(file) {
    const scan = new Scan();
    const bytes = file.eachJson(scan.skipped, (json, place) => scan.take(json, place));
    scan.link(file);
    return scan.result("Claude Code", file.path, bytes, (writer) => convert(scan, file, writer));
  },
};
