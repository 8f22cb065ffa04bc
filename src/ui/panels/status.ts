/** Where this session runs and which model answers. */

import { modeMeanings } from "../../protocol/permission.ts";
import type { Host } from "../host.ts";
import { span } from "../line.ts";
import { sanitizeLine } from "../sanitize.ts";
import { homePath } from "../start/home-path.ts";
import { showGit } from "../start/start-lines.ts";
import { shortTokens } from "../transcript/format.ts";
import { wrapWords } from "../wrap.ts";
import type { PanelModel } from "./panel.ts";
import { readerPanel, textContent } from "./reader-panel.ts";

const headingColumns = 14;

export function statusPanel(host: Host): PanelModel {
  host.folder.load();
  return readerPanel({
    content(columns) {
      const lines = statusOf(host).flatMap(([heading, text]) =>
        wrapWords(sanitizeLine(text), Math.max(1, columns - headingColumns)).map((line, index) => [
          span("accent", (index === 0 ? heading : "").padEnd(headingColumns)),
          line,
        ]),
      );
      return textContent("Status", "↑ ↓ scroll · Esc close", lines);
    },
  });
}

function statusOf({ state, options, rules, folder }: Host): [heading: string, text: string][] {
  const { git, instructions } = folder;
  const sandbox = state.hasSandbox ? "" : "; commands run without a sandbox";
  return [
    ["Version", `mini-claude ${options.version}, Bun ${Bun.version}`],
    ["Folder", homePath(options.cwd)],
    ["Git", git ? showGit(git) : "not a repository, or not trusted"],
    ["Instructions", instructions.length === 0 ? "none" : instructions.join(", ")],
    ["Model", `${state.model}, ${shortTokens(rules.windowTokens)} tokens`],
    ["Server", options.settings.baseUrl ?? options.label],
    ["Permissions", `${state.mode}: ${modeMeanings[state.mode]}${sandbox}`],
    ["Session", [state.title, options.session].filter(Boolean).join(", ")],
    ["Log", homePath(options.logFile)],
  ];
}
