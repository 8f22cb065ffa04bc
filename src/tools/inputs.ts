/** Inputs that several tools have. */

import { z } from "zod";

export const filePath = z.string().min(1).describe("Absolute or relative.");

/** An optional whole number. */
export const upTo = (most: number, least = 1) => z.number().int().min(least).max(most).optional();
