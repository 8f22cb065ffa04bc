/**
 * `models.json` in our own folder: models that the user adds, or about which they know better than the
 * catalog. `{"models": {"qwen": {"provider": "openrouter", "id": "qwen/qwen3-coder"}}}`
 */

import { z } from "zod";
import { parseJsonc } from "../base/guards.ts";
import { once } from "../base/once.ts";
import { readIfThere } from "./json-file.ts";
import { addressSchema } from "./schema.ts";
import { clouds, serverNames } from "./servers.ts";
import { UsageError } from "./usage-error.ts";

const fileSchema = once(() => {
  const tokens = z.number().int().min(1);
  const usd = z.number().nonnegative();

  const modelSchema = z.strictObject({
    /** The server's own name of it; absent: the one in the file. */
    id: z.string().min(1).optional(),
    /** Who serves it; absent: the setting `provider`. */
    provider: z.enum(["anthropic", ...clouds, ...serverNames]).optional(),
    /** The address of another server, the API that it speaks, and the variable with its key. */
    baseUrl: addressSchema.optional(),
    api: z.enum(["chat", "responses", "messages"]).optional(),
    keyName: z
      .string()
      .regex(/^MINI_CLAUDE_\w+_KEY$/, "must look like MINI_CLAUDE_SERVER_KEY")
      .optional(),
    windowTokens: tokens.optional(),
    outputTokens: tokens.optional(),
    /** US dollars for a million tokens. */
    prices: z
      .strictObject({
        input: usd,
        output: usd,
        cacheRead: usd.optional(),
        cacheWrite: usd.optional(),
      })
      .optional(),
  });

  return z.strictObject({
    $schema: z.string().optional(),
    models: z.record(z.string(), modelSchema),
  });
});

export type FileModel = z.infer<ReturnType<typeof fileSchema>>["models"][string];

/** By the name that the user gives to a model. */
export type ModelFile = Readonly<Record<string, FileModel>>;

/** Empty when there is no file. Throws `UsageError` with the first thing that is wrong in it. */
export function readModelFile(file: string): ModelFile {
  const text = readIfThere(file);
  if (text === null) return {};
  const json = parseJsonc(text);
  if (json === undefined)
    throw new UsageError(`${file} is not valid JSON. Correct it or remove it.`);
  const { data, error } = fileSchema().safeParse(json);
  if (data) return data.models;
  const { path = [], message = "" } = error.issues[0] ?? {};
  const where = path.length === 0 ? "" : ` ${path.join(".")}:`;
  throw new UsageError(`${file}:${where} ${message}. Correct it or remove it.`);
}

/** A model by the user's name for it or by its server's; null: the file does not name it. */
export const findModel = (file: ModelFile, name: string): FileModel | null =>
  (Object.hasOwn(file, name) ? file[name] : undefined) ??
  Object.values(file).find(({ id }) => id === name) ??
  null;
