import { counted } from "../../base/in-words.ts";
import type { ModelClient } from "../../model/client.ts";
import type { ModelRequest, Usage } from "../../protocol/model.ts";
import { count, type DebugLog } from "./debug-log.ts";

/** Writes every call of the model to the log: its size, its timing, its usage, how it ended. */
export function traceModel(model: ModelClient, log: DebugLog): ModelClient {
  const { countTokens, refreshCache, searchWeb } = model;
  return {
    label: model.label,
    models: () => model.models(),
    ...(countTokens && { countTokens: countTokens.bind(model) }),
    ...(refreshCache && {
      async refreshCache(request, signal) {
        const usage = await refreshCache.call(model, request, signal);
        log.write("cache", usage ? `kept alive: ${describeUsage(usage)}` : "cannot be kept alive");
        return usage;
      },
    }),
    ...(searchWeb && {
      async searchWeb(search, signal) {
        const answer = await searchWeb.call(model, search, signal);
        log.write("search", `${answer.results.length} results, ${describeUsage(answer.usage)}`);
        return answer;
      },
    }),
    async rules(name) {
      const rules = await model.rules(name);
      const { windowTokens, outputTokens, thinking, caches } = rules;
      log.write(
        "model",
        `${name}: window ${count(windowTokens)}, output ${count(outputTokens)}, thinking ${thinking}, ${caches ? "caches" : "no cache"}`,
      );
      return rules;
    },
    async *stream(request, signal) {
      const start = performance.now();
      let first: number | null = null;
      log.write("call", describeRequest(request));
      try {
        for await (const event of model.stream(request, signal)) {
          first ??= performance.now() - start;
          if (event.type === "stop") {
            const times = `${count(performance.now() - start)} ms, first event after ${count(first)} ms`;
            log.write("answer", `${event.stop} in ${times}: ${describeUsage(event.usage)}`);
          }
          yield event;
        }
      } catch (error) {
        const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
        log.write("answer", `failed after ${count(performance.now() - start)} ms: ${reason}`);
        throw error;
      }
    },
  };
}

function describeRequest(request: ModelRequest): string {
  const { purpose, model, messages, tools, maxTokens, thinking, dropStaleThinking } = request;
  const marked = messages.flatMap(({ content }, index) =>
    content.some((block) => block.cache_control) ? [index] : [],
  );
  return [
    `${purpose} to ${model}`,
    `${counted(messages.length, "message")} of ${counted(JSON.stringify(messages).length, "character")}`,
    counted(tools.length, "tool"),
    `at most ${counted(maxTokens, "token")}`,
    `thinking ${thinking}${dropStaleThinking ? ", stale thinking dropped" : ""}`,
    ...(marked.length > 0 ? [`cache marks in messages ${marked.join(", ")}`] : []),
  ].join(", ");
}

const describeUsage = ({ input, cacheRead, cacheWrite, output }: Usage): string =>
  `${count(input)} new, ${count(cacheRead)} read from and ${count(cacheWrite)} written to the cache, ${count(output)} out`;
