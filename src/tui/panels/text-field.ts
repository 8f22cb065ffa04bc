/** A line of a panel that the user types into, drawn by Ink, which is loaded with the first one. */

import type { Host } from "../host.ts";
import { fit } from "../wrap.ts";
import type { TextField } from "./ink-field.tsx";

let ink: typeof import("./ink-field.tsx") | null = null;

export const loadInk = async (): Promise<void> => void (ink ??= await import("./ink-field.tsx"));

/** Plain text until Ink is loaded. */
export function textField(host: Host, field: TextField, columns: number): string {
  if (ink) return ink.inkField(field, columns);
  void loadInk().then(host.redraw, host.report);
  const { label, value, placeholder, mask } = field;
  const shown = mask === undefined ? value : mask.repeat(value.length);
  return fit(host.theme.paint("dim", label) + (shown || placeholder), columns);
}
