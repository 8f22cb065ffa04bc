/** Which block a line of Markdown starts, as far as the line alone shows it. */

/** The marker of a list item, without its indentation. */
export type ItemMark = {
  /** Items of one list have the same sign: "-", "*", "+", "." or ")". */
  sign: string;
  /** null: not ordered. */
  number: number | null;
  /** Lines that are indented by at least this much belong to the item. */
  indent: number;
};

export function itemMark(line: string): ItemMark | null {
  const [mark, digits, sign] = /^(\d{1,9})?([-*+.)])(?:\s+|$)/.exec(line) ?? [];
  if (mark === undefined || sign === undefined) return null;
  const isOrdered = digits !== undefined;
  if (isOrdered !== /[.)]/.test(sign) || isRule(line)) return null;
  return { sign, number: isOrdered ? Number(digits) : null, indent: mark.length };
}

/** The opening line of a fenced code block. */
export type Fence = { sign: string; language: string; indent: number };

export function fenceOf(line: string): Fence | null {
  const [, indent, sign, info = ""] = /^( {0,3})(`{3,}(?!.*`)|~{3,})\s*(\S*)/.exec(line) ?? [];
  if (indent === undefined || sign === undefined) return null;
  return { sign, language: info, indent: indent.length };
}

export const closesFence = (line: string, { sign }: Fence): boolean => {
  const end = line.trim();
  return (
    /^ {0,3}\S/.test(line) && end.startsWith(sign) && end === sign.charAt(0).repeat(end.length)
  );
};

export const isHeading = (line: string): boolean => /^#{1,6}(?:\s|$)/.test(line);

export const isRule = (line: string): boolean =>
  /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(line);

/** Makes the paragraph above it a heading. */
export const isUnderline = (line: string): boolean => /^(?:=+|-+)\s*$/.test(line);

/** Begins an item even right after the lines of a paragraph. */
export const interrupts = (line: string): boolean => /^(?:[-*+]|1[.)])\s+\S/.test(line);
