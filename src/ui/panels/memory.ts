/** Notes and instruction files, to open in the editor. */

import type { Host } from "../host.ts";
import { sanitizeLine } from "../sanitize.ts";
import { homePath } from "../start/home-path.ts";
import { showBytes } from "../transcript/format.ts";
import type { MemoryFile } from "../types.ts";
import { listPanel } from "./list-panel.ts";
import { loading, type PanelModel } from "./panel.ts";

export function memoryPanel(host: Host): PanelModel {
  const { services } = host.options;
  const files = loading(host, services.memoryFiles(), "Looking for files …");
  return listPanel<MemoryFile>(host, {
    content: () => ({
      title: "Memory",
      hint: "Enter edit · type to search · Esc close",
      empty: files.value ? "No files." : files.message,
      items: files.value ?? [],
      footer: () => ["A message that starts with # is added to the notes on this folder."],
    }),
    lines: (file) => [fileLine(file)],
    onChoose({ path }) {
      host.dispatch({ type: "panel", panel: null });
      void host.suspend(() => services.editFile(path));
    },
  });
}

const fileLine = ({ name, path, bytes }: MemoryFile): string => {
  const size = bytes === null ? "empty" : showBytes(bytes);
  return `${name.padEnd(22)} ${size.padStart(8)}  ${sanitizeLine(homePath(path))}`;
};
