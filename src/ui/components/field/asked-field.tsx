import { type ReactNode, useState } from "react";
import { toChord } from "../../keys.ts";
import { useKeys } from "../../use-keys.ts";
import { type AskedLine, FieldModel } from "./field-model.ts";
import { Field } from "./field.tsx";

type AskedProps = { line: AskedLine; level: "question" | "panel"; columns: number };

/** A line that a list or a question asks for, until Enter or Escape. */
export function AskedField({ line, level, columns }: AskedProps): ReactNode {
  const [field] = useState(() => new FieldModel(line.value));
  useKeys((event, isLate) => {
    const chord = isLate ? "" : toChord(event);
    const text = field.value.trim();
    if (chord === "enter") line.onEnter(text);
    else if (chord === "escape") line.onEscape(text);
    else return false;
    return true;
  }, level);
  return (
    <Field
      view={{ placeholder: "", ...line, field }}
      columns={columns}
      level={level === "panel" ? "field" : level}
    />
  );
}
