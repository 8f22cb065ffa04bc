import type { ReactNode } from "react";
import { useScreen } from "../screen-context.ts";
import { LineTexts } from "./line.tsx";

/** An empty session: where you are, what was done here last, what to try. */
export const Start = (): ReactNode => <LineTexts lines={useScreen((frame) => frame.start)} />;
