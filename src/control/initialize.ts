import { z } from "zod";
import type { SubagentDefinition } from "../protocol/subagent-definition.ts";

const hookMatcher = z.object({
  matcher: z.string().nullish(),
  hookCallbackIds: z.array(z.string()),
  /** Seconds. */
  timeout: z.number().positive().nullish(),
});

const agentDefinition = z.object({
  description: z.string(),
  prompt: z.string(),
  tools: z.array(z.string()).nullish(),
  model: z.string().nullish(),
});

const agentsSchema = z.record(z.string(), agentDefinition);

const initializeSchema = z.object({
  /** Replaces the system prompt; one empty text when the client has none. */
  systemPrompt: z.array(z.string()).nullish(),
  appendSystemPrompt: z.string().nullish(),
  jsonSchema: z.record(z.string(), z.unknown()).nullish(),
  hooks: z.record(z.string(), z.array(hookMatcher)).nullish(),
  agents: agentsSchema.nullish(),
  sdkMcpServers: z.array(z.string()).nullish(),
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
  agents: SubagentDefinition[];
  /** MCP servers that run in the client. */
  servers: string[];
};

/** What cannot be read is left out. */
export function readInitialize(request: unknown): Initialize {
  const { systemPrompt, appendSystemPrompt, jsonSchema, hooks, agents, sdkMcpServers } =
    initializeSchema.safeParse(request).data ?? {};
  const system = systemPrompt?.filter((text) => text !== "").join("\n\n") ?? "";
  return {
    ...(system === "" ? {} : { system }),
    ...(appendSystemPrompt ? { append: appendSystemPrompt } : {}),
    ...(jsonSchema ? { jsonSchema } : {}),
    servers: sdkMcpServers ?? [],
    agents: agents ? agentsOf(agents) : [],
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

/** Definitions of subagents by name. Throws when they are not valid. */
export const readAgents = (json: unknown): SubagentDefinition[] =>
  agentsOf(agentsSchema.parse(json));

const agentsOf = (agents: z.infer<typeof agentsSchema>): SubagentDefinition[] =>
  Object.entries(agents).map(([name, { tools, model, ...definition }]) => {
    const own = model === "inherit" ? null : (model ?? null);
    return { name, ...definition, tools: tools ?? null, model: own, readsOnly: false };
  });
