import { z } from "zod";

const initializeSchema = z.object({
  /** Replaces the system prompt; one empty text when the client has none. */
  systemPrompt: z.array(z.string()).nullish(),
  appendSystemPrompt: z.string().nullish(),
  jsonSchema: z.record(z.string(), z.unknown()).nullish(),
});

/** What a client chooses before the first message. */
export type Initialize = {
  system?: string;
  append?: string;
  jsonSchema?: Record<string, unknown>;
};

/** What cannot be read is left out. */
export function readInitialize(request: unknown): Initialize {
  const { systemPrompt, appendSystemPrompt, jsonSchema } =
    initializeSchema.safeParse(request).data ?? {};
  const system = systemPrompt?.filter((text) => text !== "").join("\n\n") ?? "";
  return {
    ...(system === "" ? {} : { system }),
    ...(appendSystemPrompt ? { append: appendSystemPrompt } : {}),
    ...(jsonSchema ? { jsonSchema } : {}),
  };
}
