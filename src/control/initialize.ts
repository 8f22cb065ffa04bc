import { z } from "zod";

const hookMatcher = z.object({
  matcher: z.string().nullish(),
  hookCallbackIds: z.array(z.string()),
  /** Seconds. */
  timeout: z.number().positive().nullish(),
});

const initializeSchema = z.object({
  /** Replaces the system prompt; one empty text when the client has none. */
  systemPrompt: z.array(z.string()).nullish(),
  appendSystemPrompt: z.string().nullish(),
  jsonSchema: z.record(z.string(), z.unknown()).nullish(),
  hooks: z.record(z.string(), z.array(hookMatcher)).nullish(),
});

/** A hook of the client, called by its id. */
export type ClientHook = {
  event: string;
  matcher: string | undefined;
  callbackId: string;
  timeoutMs?: number;
};

/** What a client chooses before the first message. */
export type Initialize = {
  system?: string;
  append?: string;
  jsonSchema?: Record<string, unknown>;
  hooks: ClientHook[];
};

/** What cannot be read is left out. */
export function readInitialize(request: unknown): Initialize {
  const { systemPrompt, appendSystemPrompt, jsonSchema, hooks } =
    initializeSchema.safeParse(request).data ?? {};
  const system = systemPrompt?.filter((text) => text !== "").join("\n\n") ?? "";
  return {
    ...(system === "" ? {} : { system }),
    ...(appendSystemPrompt ? { append: appendSystemPrompt } : {}),
    ...(jsonSchema ? { jsonSchema } : {}),
    hooks: Object.entries(hooks ?? {}).flatMap(([event, matchers]) =>
      matchers.flatMap(({ matcher, hookCallbackIds, timeout }) =>
        hookCallbackIds.map((callbackId): ClientHook => {
          const limit = timeout ? { timeoutMs: timeout * 1000 } : {};
          return { event, matcher: matcher ?? undefined, callbackId, ...limit };
        }),
      ),
    ),
  };
}
