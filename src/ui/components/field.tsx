import type { ReactNode } from "react";
import { graphemes } from "../../base/clip.ts";
import type { FieldView } from "../field.ts";
import { span } from "../line.ts";
import { nextGrapheme } from "../prompt/editor.ts";
import { LineText } from "./line.tsx";

/** A line to type into. Of a long text, the part around the cursor is shown. */
export function Field({ view, columns }: { view: FieldView; columns: number }): ReactNode {
  const { label, placeholder, mask, text, cursor } = view;
  const isEmpty = text === "";
  const shown = isEmpty ? placeholder : text;
  const end = nextGrapheme(shown, cursor);
  const hide = (part: string): string =>
    mask === undefined || isEmpty ? part : mask.repeat([...graphemes(part)].length);
  const [before, at, after] = [
    hide(shown.slice(0, cursor)),
    hide(shown.slice(cursor, end)) || " ",
    hide(shown.slice(end)),
  ];
  const room = Math.max(1, columns - Bun.stringWidth(label));
  const left = Bun.stringWidth(before);
  // The cursor's column is in the middle unless an end is near.
  const spare = Bun.stringWidth(before + at + after) - room;
  const from = Math.max(0, Math.min(left - Math.floor(room / 2), spare));
  const rest = Bun.sliceAnsi(after, 0, room - (left - from) - Bun.stringWidth(at));
  return (
    <LineText
      line={[
        span("accent", label),
        Bun.sliceAnsi(before, from),
        span("selected", at),
        isEmpty ? span("dim", rest) : rest,
      ]}
    />
  );
}
