import { Box, Text } from "ink";
import TextInput from "ink-text-input";
import { useEffect, useSyncExternalStore, type ReactNode } from "react";
import type { FieldView } from "../field.ts";
import { useSource, useTheme } from "../screen-context.ts";

/**
 * A line to type into. Keys reach it one at a time, through the stand-in for standard input that Ink
 * reads (`terminal/field-keys.ts`).
 */
export function Field({ view, columns }: { view: FieldView; columns: number }): ReactNode {
  const { field, label, placeholder, mask } = view;
  const value = useSyncExternalStore(field.subscribe, () => field.value);
  const { mounted } = useSource();
  const theme = useTheme();
  // Runs after the effects of <TextInput>, which listens for keys from then on.
  useEffect(() => mounted(field), [mounted, field]);
  const room = Math.max(1, columns - Bun.stringWidth(label));
  const width = Bun.stringWidth(value) + 1;
  return (
    <Box height={1} flexShrink={0}>
      <Text {...theme.props("accent")}>{label}</Text>
      {/* Of a long value, the end is shown: it is what is being typed. */}
      <Box width={room} height={1} overflow="hidden" contentOffsetX={Math.max(0, width - room)}>
        <Box width={Math.max(room, width)} flexShrink={0}>
          <TextInput
            value={value}
            placeholder={placeholder}
            onChange={(next) => field.set(next)}
            {...(mask === undefined ? {} : { mask })}
          />
        </Box>
      </Box>
    </Box>
  );
}
