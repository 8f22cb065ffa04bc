/** Columns and rows; a terminal that does not know its size says 0. */
export function terminalSize(): { columns: number; rows: number } {
  const { columns, rows } = process.stdout;
  return { columns: columns || 80, rows: rows || 24 };
}
