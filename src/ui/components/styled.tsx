import { Text, type TextProps } from "ink";
import type { ReactNode } from "react";
import { useTheme } from "../look.ts";
import type { Role } from "../theme.ts";

type StyledProps = { role: Role; wrap?: TextProps["wrap"]; children: string };

/** A text in the style of a role; nothing where there is none. */
export function Styled({ role, wrap = "truncate", children }: StyledProps): ReactNode {
  const style = useTheme().props(role);
  return children === "" ? null : (
    <Text wrap={wrap} {...style}>
      {children}
    </Text>
  );
}
