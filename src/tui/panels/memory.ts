/** The files that tell the agent how to work here: one of them is opened in the editor. */

import { messageOf, type Host } from "../host.ts";
import { sanitizeLine } from "../sanitize.ts";
import { showBytes } from "../transcript/format.ts";
import type { MemoryFile } from "../types.ts";
import { ListPanel, matching } from "./list-panel.ts";
import type { PanelModel } from "./panel.ts";

export function memoryPanel(host: Host): PanelModel {
  const { services } = host.options;
  let files: readonly MemoryFile[] = [];
  let empty = "Looking for files …";
  (services.memoryFiles?.() ?? Promise.resolve([])).then(
    (found) => {
      files = found;
      empty = "No files.";
      host.redraw();
    },
    (error: unknown) => {
      empty = sanitizeLine(messageOf(error));
      host.redraw();
    },
  );
  return new ListPanel<MemoryFile>(host, {
    filter: "typing",
    content: (filter) => ({
      title: "Memory",
      hint: "Enter edit · type to search · Esc close",
      empty,
      items: matching(
        files.map((file) => ({ value: file, lines: [fileLine(file)] })),
        filter,
      ),
      footer: ["A message that starts with # is added to the notes on this folder."],
    }),
    onChoose({ path }) {
      host.dispatch({ type: "panel", panel: null });
      void host.suspend(async () => services.editFile?.(path));
    },
  });
}

const fileLine = ({ name, path, bytes }: MemoryFile): string => {
  const size = bytes === null ? "empty" : showBytes(bytes);
  return `${name.padEnd(22)} ${size.padStart(8)}  ${sanitizeLine(path)}`;
};
