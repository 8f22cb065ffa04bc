import type { ReactNode } from "react";
import { sanitizeLine } from "../sanitize.ts";
import { useActions, useServices } from "../screen-context.ts";
import { homePath, showBytes } from "../transcript/format.ts";
import type { MemoryFile } from "../types.ts";
import { ListPanel } from "./list-panel.tsx";
import { useLoading } from "./use-loading.ts";

const about = [
  "A message that starts with # is added to the notes on this folder.",
  "Sessions start with the newest 8,000 characters of each file of notes.",
];

export function MemoryPanel(): ReactNode {
  const { memoryFiles, editFile } = useServices();
  const { suspend } = useActions();
  const files = useLoading(memoryFiles, "Looking for files …");
  return (
    <ListPanel
      title="Memory"
      hint="Enter edit · Esc close"
      empty={files.value ? "No files." : files.message}
      items={files.value ?? []}
      lines={(file) => [fileLine(file)]}
      footer={() => about}
      closes
      onChoose={({ path }) => void suspend(() => editFile(path))}
    />
  );
}

const fileLine = ({ name, path, bytes }: MemoryFile): string => {
  const size = bytes === null ? "empty" : showBytes(bytes);
  return `${name.padEnd(22)} ${size.padStart(8)}  ${sanitizeLine(homePath(path))}`;
};
