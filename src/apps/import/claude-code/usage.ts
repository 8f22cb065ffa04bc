import { z } from "zod";
import { modelStops, type Stop, type Usage } from "../../../protocol/model.ts";
import { countOf, isRecord } from "../json.ts";

/** Usage as Anthropic's API reports it. */
export function usageIn(message: unknown): Usage {
  const usage = isRecord(message) ? message["usage"] : null;
  const written1h = countOf(usage, "cache_creation", "ephemeral_1h_input_tokens");
  return {
    input: countOf(usage, "input_tokens"),
    cacheRead: countOf(usage, "cache_read_input_tokens"),
    cacheWrite: countOf(usage, "cache_creation_input_tokens"),
    ...(written1h > 0 ? { cacheWrite1h: written1h } : {}),
    output: countOf(usage, "output_tokens"),
  };
}

const stops = z.enum(modelStops);

/** Lines that were written while the answer streamed have no stop reason. */
export const stopOf = (reason: string | null): Stop | undefined => stops.safeParse(reason).data;
