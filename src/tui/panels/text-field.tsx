/** A line of a panel that the user types into. Loaded with the panels that have one, and Ink with it. */

import { Box, renderToString, Text } from "ink";
import TextInput from "ink-text-input";

type Content = {
  label: string;
  value: string;
  placeholder: string;
  /** Drawn in place of every character. */
  mask?: string;
};

/** Only draws: the panel has the keys, so that none is lost while React renders. */
export const textField = ({ label, value, placeholder, mask }: Content, columns: number): string =>
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
