/** Enough to draw a given value: the colors, and the columns between the gutters. */

import { createContext, use } from "react";
import { makeTheme, type Theme } from "./theme.ts";

export type Look = { readonly theme: Theme; readonly columns: number };

export const LookContext = createContext<Look>({ theme: makeTheme("none"), columns: 80 });

export const useTheme = (): Theme => use(LookContext).theme;

export const useColumns = (): number => use(LookContext).columns;
