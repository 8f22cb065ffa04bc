/** What may stand at the cursor: a file after `@`, a command after `/`; or an earlier prompt. */

export type Wanted = {
  kind: "file" | "command" | "history";
  query: string;
  from: number;
  to: number;
};

/** The word at the cursor that asks to be completed; null: none does. */
export function wantedAt(text: string, cursor: number): Wanted | null {
  const before = text.slice(0, cursor);
  const command = /^\/([\w-]*)$/.exec(before);
  if (command) return { kind: "command", query: command[1] ?? "", from: 0, to: cursor };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (!file) return null;
  const query = file[1] ?? "";
  return { kind: "file", query, from: cursor - query.length - 1, to: cursor };
}
