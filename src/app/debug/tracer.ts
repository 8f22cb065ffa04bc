/**
 * The debug log, and wrappers that report to it and otherwise do what they wrap. Loaded only with
 * `--debug` or `MINI_CLAUDE_DEBUG`. No key reaches the log: values of variables that are named like
 * secrets are replaced, and headers are shown by an allow-list.
 */

import { appendFileSync, fchmodSync, fstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { Agent } from "../../agent/agent.ts";
import type { Session } from "../../agent/session.ts";
import type { TurnBoundaries } from "../../agent/turn-boundaries.ts";
import { clip } from "../../base/clip.ts";
import type { Environment } from "../../base/environment.ts";
import { attempt } from "../../base/guards.ts";
import { counted, errorMessage } from "../../base/in-words.ts";
import { nextPlan } from "../../context/ladder.ts";
import type { Moment } from "../../context/types.ts";
import type { ModelClient } from "../../model/client.ts";
import type { Fetch } from "../../model/network.ts";
import { blockText } from "../../protocol/block.ts";
import type { AgentCommand } from "../../protocol/command.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import type { ModelRequest, Usage } from "../../protocol/model.ts";

export type Tracer = ReturnType<typeof createTracer>;

const secretName = /KEY|TOKEN|SECRET|PASSWORD/i;

/** Shorter values occur in ordinary text. */
const minSecretChars = 8;

/** Only the user can read the file (0600). Throws when it cannot be opened. */
export function createTracer(file: string, env: Environment, now = Date.now) {
  const secrets = Object.entries(env).flatMap(([name, value = ""]) =>
    secretName.test(name) && value.trim().length >= minSecretChars ? [value.trim()] : [],
  );
  // Open until the process ends: the last lines of a run that fails matter most.
  const fd = openPrivate(file);

  /** One event on one line. A full disk must not stop the program: what cannot be written is dropped. */
  function write(topic: string, text: string): void {
    const clean = secrets
      .reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text)
      .replace(/\p{Cc}+/gu, " ");
    const line = `${new Date(now()).toISOString()}  ${topic.padEnd(9)} ${clean}\n`;
    attempt(() => appendFileSync(fd, line), undefined);
  }

  return {
    file,
    write,

    /** Requests and answers, without keys and bodies. */
    fetch:
      (fetch: Fetch): Fetch =>
      async (input, init) => {
        const request = input instanceof Request ? input : undefined;
        const { origin, pathname } = new URL(request?.url ?? String(input));
        const method = init?.method ?? request?.method ?? "GET";
        // Without a password or a query, which may hold a key.
        const call = `${method} ${origin}${pathname}`;
        const body = init?.body;
        const hasSize = typeof body === "string" || body instanceof Uint8Array;
        const size = hasSize ? `, ${counted(Buffer.byteLength(body), "byte")}` : "";
        write("http", `${call}${size}, ${showHeaders(init?.headers ?? request?.headers)}`);
        const elapsed = stopwatch();
        try {
          const response = await fetch(input, init);
          const { status, headers } = response;
          write("http", `${call}: ${status} after ${elapsed()}, ${showHeaders(headers)}`);
          return response;
        } catch (error) {
          write("http", `${call}: failed after ${elapsed()}: ${errorMessage(error)}`);
          throw error;
        }
      },

    /** Calls of the model: their size, timing and usage, and how they ended. */
    model: (model: ModelClient): ModelClient => ({
      ...model,
      async rules(name) {
        const rules = await model.rules(name);
        write("model", `${name}: ${JSON.stringify(rules)}`);
        return rules;
      },
      async *stream(request, signal) {
        const elapsed = stopwatch();
        let first = "";
        write("call", describeRequest(request));
        try {
          for await (const event of model.stream(request, signal)) {
            first ||= elapsed();
            if (event.type === "stop")
              write(
                "answer",
                `${event.stop} in ${elapsed()}, first event after ${first}: ${describeUsage(event.usage)}`,
              );
            yield event;
          }
        } catch (error) {
          const name = error instanceof Error ? error.name : "thrown";
          write("answer", `failed after ${elapsed()}: ${name}: ${errorMessage(error)}`);
          throw error;
        }
      },
    }),

    /** Commands and events, but for those that come with every token. */
    agent: (agent: Agent): Agent => ({
      ask: agent.ask,
      changed: agent.changed,
      async *run(commands) {
        async function* traced(): AsyncGenerator<AgentCommand> {
          for await (const command of commands) {
            const text = command.type === "prompt" ? blockText(command.content) : "";
            write("command", text ? `prompt: ${excerpt(text)}` : excerpt(JSON.stringify(command)));
            yield command;
          }
        }
        for await (const event of agent.run(traced())) {
          const [topic, data] = event.type === "entry" ? ["entry", event.entry] : ["event", event];
          if (!isStreaming(event)) write(topic, excerpt(JSON.stringify(data)));
          yield event;
        }
      },
      close: () => agent.close(),
      get rules() {
        return agent.rules;
      },
    }),

    /** Decisions of the tiers at each boundary, with their reasons and numbers. */
    boundaries(boundaries: TurnBoundaries, session: Session): TurnBoundaries {
      const decide = (moment: Moment): void => {
        const plan = nextPlan(moment, session.signals);
        const chosen = plan
          ? `${plan.tier}: ${plan.reason} (${"changes" in plan ? counted(plan.changes.length, "change") : "a summary"}, ${count(plan.price.usedBefore)} to about ${count(plan.price.usedAfter)} tokens)`
          : "no cut";
        write("tiers", `${moment}: ${describeReading(session)}; ${chosen}`);
      };
      return {
        ...boundaries,
        turnStart(signal, approvals) {
          decide("turnStart");
          return boundaries.turnStart(signal, approvals);
        },
        beforeCall(signal) {
          decide("beforeCall");
          return boundaries.beforeCall(signal);
        },
        tooLong(sizes, signal) {
          const said = sizes
            ? `${count(sizes.tokens)} of ${count(sizes.limit)} tokens`
            : "no sizes";
          write("tiers", `the server says the prompt is too long: ${said}`);
          return boundaries.tooLong(sizes, signal);
        },
      };
    },
  };
}

function openPrivate(file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const fd = openSync(file, "a", 0o600);
    if (fstatSync(fd).isFile()) fchmodSync(fd, 0o600);
    return fd;
  } catch (error) {
    const reason = `The debug log ${file} cannot be opened: ${errorMessage(error)}`;
    throw new Error(reason, { cause: error });
  }
}

/** "12,345" */
const count = (value: number): string => Math.round(value).toLocaleString("en");

const excerpt = (text: string): string => clip(text, 200);

const stopwatch =
  (startMs = performance.now()) =>
  (): string =>
    `${count(performance.now() - startMs)} ms`;

/** Headers whose values are shown. Any other may hold a key. */
const shownHeaders =
  /^(accept|content-type|content-length|user-agent|anthropic-(version|beta)|(x-)?request-id|retry-after|anthropic-ratelimit-.*|x-stainless-.*)$/i;

const showHeaders = (headers: ConstructorParameters<typeof Headers>[0]): string =>
  [...new Headers(headers)]
    .map(([name, value]) => `${name}: ${shownHeaders.test(name) ? value : "[hidden]"}`)
    .join("; ");

const isStreaming = (event: AgentEvent): boolean =>
  event.type === "delta" ||
  event.type === "progress" ||
  (event.type === "compaction" && event.state.step === "writing");

function describeRequest(request: ModelRequest): string {
  const { purpose, model, messages, tools, maxTokens, thinking } = request;
  const marked = messages.flatMap(({ content }, index) =>
    content.some((block) => block.cache_control) ? [index] : [],
  );
  return [
    `${purpose} to ${model}, ${counted(messages.length, "message")}`,
    `${counted(tools.length, "tool")}, at most ${counted(maxTokens, "token")}`,
    `thinking ${thinking}${request.dropStaleThinking ? ", stale thinking dropped" : ""}`,
    `cache marks in messages ${marked.join(", ") || "none"}`,
  ].join(", ");
}

const describeUsage = ({ input, cacheRead, cacheWrite, output }: Usage): string =>
  `${count(input)} new, ${count(cacheRead)} read from and ${count(cacheWrite)} written to the cache, ${count(output)} out`;

function describeReading({ reading, policy }: Session): string {
  const { usedTokens, effectiveTokens, utilization, cache, idleMs } = reading;
  const idle = idleMs === null ? "" : `, idle ${count(idleMs / 1000)} s`;
  return `${count(usedTokens)} of ${count(effectiveTokens)} tokens (${Math.round(utilization * 100)} %), cache ${cache.state} with ${count(cache.tokens)}${idle}, policy ${policy.policy}`;
}
