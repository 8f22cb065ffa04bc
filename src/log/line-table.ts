/** What the note beside a large log keeps of its lines, so that the log need not be read to open it. */

import type { Entry } from "../protocol/entry.ts";

/**
 * What is known about an entry: the numbers in its id and in its parent's, which is 0 if it has
 * none.
 */
export type NumberedHeader = { number: number; parent: number; type: Entry["type"] };

/** `header`: null, if the line has to be parsed to know it. `bytes`: with the newline. */
export type KnownLine = { header: NumberedHeader | null; bytes: number };

/** Numbers of the id and of the parent, bytes of the line, place of the type in `types`, from 1. */
const record = { id: 0, parent: 4, bytes: 8, type: 12, size: 13 };

const most = 2 ** 32 - 1;

export type LineTable = { types: readonly string[]; records: Uint8Array };

export function toTable(lines: readonly KnownLine[]): LineTable {
  const records = new Uint8Array(lines.length * record.size);
  const view = new DataView(records.buffer);
  const types: string[] = [];
  for (const [index, { header, bytes }] of lines.entries()) {
    const at = index * record.size;
    view.setUint32(at + record.bytes, bytes, true);
    if (!header || header.number > most || header.parent > most) continue;
    if (!types.includes(header.type)) types.push(header.type);
    view.setUint32(at + record.id, header.number, true);
    view.setUint32(at + record.parent, header.parent, true);
    view.setUint8(at + record.type, types.indexOf(header.type) + 1);
  }
  return { types, records };
}

/** Calls `take` with every line, in order. `typeNamed`: a type of this program; others are parsed. */
export function eachKnownLine(
  { types: names, records }: LineTable,
  typeNamed: (name: string) => Entry["type"] | undefined,
  take: (line: KnownLine) => void,
): void {
  const types = names.map(typeNamed);
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength);
  for (let at = 0; at + record.size <= records.length; at += record.size) {
    const bytes = view.getUint32(at + record.bytes, true);
    const type = types[view.getUint8(at + record.type) - 1];
    const number = view.getUint32(at + record.id, true);
    const parent = view.getUint32(at + record.parent, true);
    take({ header: type === undefined ? null : { number, parent, type }, bytes });
  }
}
