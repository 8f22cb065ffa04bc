/** Runs commands between two snapshots of the workspace, so that a rewind can undo their changes. */

import type { Change } from "../../snapshots/scan.ts";
import type { Snapshots } from "../../snapshots/snapshots.ts";
import type { HomeFolders } from "../../trust/files/sensitive.ts";
import type { Access, Execution, ToolOutput, ToolRun } from "../tool.ts";
import type { EffectFiles } from "./effect-files.ts";

type Command = Extract<Access, { kind: "command" }>;
type Run = Pick<ToolRun, "ask" | "toolUse"> & {
  execution: Execution | null;
  wasAsked: boolean;
};

type Sources = {
  snapshots: Snapshots;
  effects: EffectFiles;
  folders: HomeFolders;
  cwd(): string;
};

/** The result of a command with its changes. */
export type Undoable = ToolOutput & { changed?: Change[] };

/** Null: the user typed it. */
export const mayWrite = (execution: Execution | null): boolean => execution?.write !== false;

export async function runUndoable(
  { snapshots, effects, folders, cwd }: Sources,
  { command, background = false }: Command,
  { execution, wasAsked, toolUse, ask }: Run,
  run: () => Promise<ToolOutput>,
): Promise<Undoable> {
  const { namingOf } = await import("../../trust/line/naming.ts");
  const naming = namingOf(command, { folders, cwd: cwd() });
  const { begun, why } = await snapshots.begin(command, naming);
  const output = await run();
  if (begun === null) return withNote(output, `[${why}]`);
  const { note, ...found } = await snapshots.finish(begun, background);
  const changed = found.files;
  if (note !== "") return withNote({ ...output, changed }, `[${note}]`);
  if (!execution?.confined) return { ...output, changed };
  const { writable } = execution;
  const kept = await effects.keep(found, { writable, wasAsked, toolUse, ask });
  return withNote({ ...output, changed: kept.files }, kept.note);
}

/** With a note for the model at the end of its text. */
const withNote = (output: Undoable, note: string): Undoable =>
  note === "" ? output : { ...output, content: [...output.content, { type: "text", text: note }] };

/** When a turn ends and before a rewind. `asks`: whether new files for other programs are moved aside. */
export async function settle(
  { snapshots, effects }: Pick<Sources, "snapshots" | "effects">,
  asks: boolean,
): Promise<{ files: Change[]; told: string[] }> {
  const { told, ...found } = await snapshots.settle();
  const { files } = found;
  if (!asks || files.length + found.inner.length === 0) return { files, told };
  // No questions between turns.
  const settled = { writable: [], wasAsked: false, toolUse: "settled", ask: null };
  const { files: kept, note } = await effects.keep(found, settled);
  return { files: kept, told: note === "" ? told : [...told, note] };
}
