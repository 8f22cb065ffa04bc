import { Box, renderToString, Text } from "ink";
import TextInput from "ink-text-input";

export type TextField = {
  label: string;
  value: string;
  placeholder: string;
  /** Drawn in place of every character. */
  mask?: string;
};

/** Only draws: the panel handles the keys, so that none is lost while React renders. */
export const inkField = ({ label, value, placeholder, mask }: TextField, columns: number): string =>
  renderToString(
    <Box height={1} overflow="hidden">
      <Text dimColor>{label}</Text>
      <TextInput
        value={value}
        placeholder={placeholder}
        onChange={() => {}}
        {...(mask === undefined ? {} : { mask })}
      />
    </Box>,
    { columns },
  );
