import { Box, Text, Transform } from "ink";
import TextInput from "ink-text-input";
import { type ReactNode, useSyncExternalStore } from "react";
import type { FieldView } from "../field.ts";
import { useTheme } from "../screen-context.ts";

/** A line to type into; keys reach it one at a time (`terminal/field-keys.ts`). */
export function Field({ view, columns }: { view: FieldView; columns: number }): ReactNode {
  const { field, label, placeholder, mask } = view;
  const { cells, edition } = useSyncExternalStore(field.subscribe, () => field.shown);
  const theme = useTheme();
  const room = Math.max(1, columns - Bun.stringWidth(label));
  const show = (line: string): string => {
    const before = field.cells.slice(0, field.cursor);
    const text = mask === undefined ? field.toText(before) : mask.repeat(before.length);
    return around(field.toText(line), Bun.stringWidth(text), room);
  };
  return (
    <Box height={1} flexShrink={0}>
      <Text {...theme.props("accent")}>{label}</Text>
      <Box width={room} height={1} overflow="hidden">
        <Box width={Math.max(room, cells.length + 1)} flexShrink={0}>
          {/* For screen readers, Ink transforms only what is inside a text. */}
          <Text>
            <Transform transform={show}>
              <TextInput
                key={edition}
                value={cells}
                placeholder={placeholder}
                onChange={(next) => field.edit(next)}
                {...(mask === undefined ? {} : { mask })}
              />
            </Transform>
          </Text>
        </Box>
      </Box>
    </Box>
  );
}

/** `room` columns of a long line, with the cursor's column in their middle unless an end is near. */
function around(line: string, cursor: number, room: number): string {
  const width = Bun.stringWidth(line);
  const from = Math.max(0, Math.min(cursor - Math.floor(room / 2), width - room));
  return width <= room ? line : Bun.sliceAnsi(line, from, from + room);
}
