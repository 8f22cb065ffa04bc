import { z } from "zod";
import type { SubagentDefinition } from "../../protocol/subagent-definition.ts";

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
  perTaskStopAffordance: z.boolean().nullish(),
});

/** The choices of a client before the first message. */
export type Initialize = ReturnType<typeof readInitialize>;

/** Unreadable parts are left out. */
export function readInitialize(request: unknown) {
  const { systemPrompt, appendSystemPrompt, jsonSchema, hooks, agents, sdkMcpServers, ...more } =
    initializeSchema.safeParse(request).data ?? {};
  return {
    system: systemPrompt?.filter((text) => text !== "").join("\n\n") || undefined,
    append: appendSystemPrompt || undefined,
    jsonSchema: jsonSchema ?? undefined,
    /** MCP servers that run in the client. */
    servers: sdkMcpServers ?? [],
    agents: agents ? toDefinitions(agents) : [],
    /** The user of the client can stop each task, so that an interruption leaves them at work. */
    stopsEachTask: more.perTaskStopAffordance ?? false,
    /** Hooks of the client, called by their ids. */
    hooks: Object.entries(hooks ?? {}).flatMap(([event, matchers]) =>
      matchers.flatMap(({ matcher, hookCallbackIds, timeout }) =>
        hookCallbackIds.map((callbackId) => ({
          event,
          matcher: matcher ?? undefined,
          callbackId,
          timeoutMs: timeout ? timeout * 1000 : undefined,
        })),
      ),
    ),
  };
}

/** Definitions of subagents by name. Throws when they are not valid. */
export const readAgents = (json: unknown): SubagentDefinition[] =>
  toDefinitions(agentsSchema.parse(json));

const toDefinitions = (agents: z.infer<typeof agentsSchema>): SubagentDefinition[] =>
  Object.entries(agents).map(([name, { tools, model, ...definition }]) => {
    const own = model === "inherit" ? null : (model ?? null);
    return { name, ...definition, tools: tools ?? null, model: own, readsOnly: false };
  });
