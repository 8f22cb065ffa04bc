/** The fake with a script of plain blocks, for tests that are about the loop rather than the API. */

import { z } from "zod";
import type { Answer, AnswerBlock, Cut } from "./answers.ts";
import { startFakeApi as start, type FakeClock } from "./index.ts";
import { Refusal } from "./refusal.ts";
import { toBlocks } from "./schema.ts";
import type { WireBlock, WireRequest } from "./wire.ts";

export type Scripted =
  | WireBlock[]
  | {
      blocks: WireBlock[];
      stop?: string;
      /** After this many events: an error event, silence, or the end of the body. */
      breaks?: { after: number; how: "overloaded" | "silence" | "end" };
    }
  | Refusal;

export type FakeOptions = {
  windowTokens?: number;
  outputTokens?: number;
  cacheMinimumTokens?: number;
  clock?: FakeClock;
};

export type FakeApi = {
  url: string;
  /** The bodies of all readable calls, in order. */
  readonly requests: WireRequest[];
  /** Errors that the script did not ask for. */
  readonly refusals: string[];
  next(...answers: Scripted[]): void;
  stop(): void;
};

export function startFakeApi({
  windowTokens = 200_000,
  clock,
  ...options
}: FakeOptions = {}): FakeApi {
  const api = start({ model: { windowTokens, ...options }, ...(clock ? { clock } : {}) });
  return {
    url: api.url,
    get requests() {
      return api.requests.flatMap(({ body }) =>
        body === null
          ? []
          : [
              {
                ...body,
                messages: body.messages.map((message) => ({
                  role: message.role,
                  content: toBlocks(message).map((block) => wireBlock.parse(block)),
                })),
              },
            ],
      );
    },
    get refusals() {
      return [...api.refusals, ...api.failures];
    },
    next: (...answers) => api.next(...answers.map(toAnswer)),
    stop: () => void api.stop().catch(() => {}),
  };
}

/** Answers "overloaded" before any output. */
export const overloaded = (headers: Record<string, string> = {}): Refusal =>
  new Refusal(529, "overloaded_error", "Overloaded", { headers });

const wireBlock: z.ZodType<WireBlock> = z.any();

function toAnswer(scripted: Scripted): Answer {
  if (scripted instanceof Refusal) {
    const { status, type, message, headers } = scripted;
    return { status, type, message, headers };
  }
  const { blocks, stop, breaks } = Array.isArray(scripted) ? { blocks: scripted } : scripted;
  return {
    content: blocks.map((block) => answerBlock.parse(block)),
    ...(stop !== undefined && { stop }),
    ...(breaks !== undefined && {
      cut: { afterEvents: breaks.after, by: cuts[breaks.how] },
    }),
  };
}

const cuts: Record<"overloaded" | "silence" | "end", Cut> = {
  overloaded: { error: "overloaded_error" },
  silence: "stall",
  end: "eof",
};

const answerBlock: z.ZodType<AnswerBlock> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), thinking: z.string() }),
  z.object({ type: z.literal("redacted_thinking") }),
  z.object({
    type: z.literal("tool_use"),
    name: z.string(),
    id: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
]);
