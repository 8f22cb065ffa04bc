import { sanitizeLine } from "../sanitize.ts";

export const currentFirst = <T extends string>(names: readonly T[], current: string): T[] =>
  names.toSorted((a, b) => Number(b === current) - Number(a === current));

export const choiceLine = (name: string, current: string): string =>
  `${name === current ? "●" : " "} ${sanitizeLine(name)}`;
