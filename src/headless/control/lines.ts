/** What a client may send, one JSON object per line. */

import { z } from "zod";
import { type UserBlock, userBlockSchema } from "../../protocol/block.ts";
import { parseJson } from "../../base/guards.ts";

const otherBlock = z.object({ type: z.string() }).transform(({ type }): UserBlock => {
  return { type: "text", text: `[A block of type “${type}” was left out: it is not supported.]` };
});

const content = z.union([
  z.string().transform((words): UserBlock[] => [{ type: "text", text: words }]),
  z.array(z.union([userBlockSchema, otherBlock])),
]);

const userLine = z.object({
  type: z.literal("user"),
  message: z.object({ role: z.literal("user"), content }),
  uuid: z.string().nullish(),
  parent_tool_use_id: z.string().nullish(),
});

const requestLine = z.object({
  type: z.literal("control_request"),
  request_id: z.string(),
  request: z.looseObject({ subtype: z.string() }),
});

const responseLine = z.object({
  type: z.literal("control_response"),
  response: z.discriminatedUnion("subtype", [
    z.object({
      subtype: z.literal("success"),
      request_id: z.string(),
      // Anything else counts as an empty answer.
      response: z.record(z.string(), z.unknown()).catch({}),
    }),
    z.object({
      subtype: z.literal("error"),
      request_id: z.string(),
      error: z.string().catch("no reason given"),
    }),
  ]),
});

/** These need no action. */
const silentLine = z.object({
  type: z.enum(["keep_alive", "update_environment_variables", "control_cancel_request"]),
});

const line = z.discriminatedUnion("type", [userLine, requestLine, responseLine, silentLine]);

export type IncomingLine = z.infer<typeof line>;
export type ControlRequest = z.infer<typeof requestLine>;
export type UserLine = z.infer<typeof userLine>;

/** Null when it is not such a line. */
export const parseLine = (json: string): IncomingLine | null =>
  line.safeParse(parseJson(json)).data ?? null;
