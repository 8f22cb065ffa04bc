/** A line of a panel that the user types into, drawn by Ink, which is loaded with the first one. */

import type { Host } from "../host.ts";
import { sanitizeLine } from "../sanitize.ts";
import { fit } from "../wrap.ts";
import type { TextField } from "./ink-field.tsx";

let ink: typeof import("./ink-field.tsx") | null = null;

export const loadInk = async (): Promise<void> => void (ink ??= await import("./ink-field.tsx"));

/** Plain text until Ink is loaded. Of a long value, the end is shown: it is what is being typed. */
export function textField(host: Host, field: TextField, columns: number): string {
  const { label, mask } = field;
  const room = Math.max(1, columns - label.length - 1);
  const value = Bun.sliceAnsi(sanitizeLine(field.value), -room, undefined, "…");
  const placeholder = fit(field.placeholder, room);
  if (ink) return ink.inkField({ ...field, value, placeholder }, columns);
  void loadInk().then(host.redraw, host.report);
  const shown = mask === undefined ? value : mask.repeat(value.length);
  return fit(host.theme.paint("dim", label) + (shown || placeholder), columns);
}
