/**
 * Claude on other clouds, through Anthropic's packages for them: loaded when the first call is made, so
 * that they do not slow down the start.
 */

import { z } from "zod";
import { errorMessage } from "../../base/in-words.ts";
import {
  type CallContext,
  explainCause,
  ModelError,
  readError,
  refused,
  unreachable,
} from "../failures.ts";
import type { Fetch } from "../network.ts";
import { toModelError } from "../post.ts";

/** The part of the packages' clients that is used. */
type CloudSdk = {
  post(path: string, options: object): { asResponse(): Promise<Response> };
};

type CloudCall = {
  path: string;
  body: { stream?: boolean };
  signal: AbortSignal;
  headers: Record<string, string>;
};

export async function postTo(
  cloud: CloudAccess,
  fetch: Fetch,
  { path, body, ...call }: CloudCall,
): Promise<Response> {
  const sdk = await loadCloudSdk(cloud, fetch);
  const headers =
    cloud.provider === "bedrock"
      ? { "anthropic-version": "bedrock-2023-05-31", ...call.headers }
      : call.headers;
  return sdk.post(path, { ...call, headers, body, stream: body.stream === true }).asResponse();
}

/** Claude on Amazon Bedrock or Google Vertex AI. `region`: as that cloud names it. */
export type CloudAccess = {
  provider: "bedrock" | "vertex";
  region: string;
  /** Vertex's; absent: the credentials'. */
  projectId?: string | undefined;
};

const quiet = {
  maxRetries: 0,
  logLevel: "off",
  openTelemetry: false,
  // The watchdog ends silent calls; an answer that keeps coming may take any length of time.
  timeout: 24 * 60 * 60_000,
} as const;

/**
 * The client for another cloud. It finds the user's credentials as the cloud's own programs do. Throws
 * `ModelError` "invalid" when its package is not installed.
 */
async function loadCloudSdk(
  { provider, region, projectId }: CloudAccess,
  fetch: Fetch,
): Promise<CloudSdk> {
  const shared = { ...quiet, fetch };
  try {
    if (provider === "bedrock") {
      const { AnthropicBedrock } = await import("@anthropic-ai/bedrock-sdk");
      return new AnthropicBedrock({ ...shared, awsRegion: region });
    }
    // Elsewhere than on Google's machines, Google's library would warn on the terminal that it is not there.
    process.env["METADATA_SERVER_DETECTION"] ??= "bios-only";
    const { AnthropicVertex } = await import("@anthropic-ai/vertex-sdk");
    return new AnthropicVertex({
      ...shared,
      region,
      ...(projectId !== undefined && { projectId }),
    });
  } catch (error) {
    const name = `@anthropic-ai/${provider}-sdk`;
    if (!/cannot find (package|module)/i.test(errorMessage(error))) throw error;
    throw new ModelError(
      "invalid",
      `${cloudNames[provider]} needs the package ${name}, which is installed separately: npm install -g ${name}.`,
      { cause: error },
    );
  }
}

export const cloudNames = { bedrock: "Amazon Bedrock", vertex: "Google Vertex AI" } as const;

/** An error of the packages: the server's answer, or why there is none. */
const sdkError = z.object({
  status: z.number().optional(),
  error: z.object({ error: z.unknown() }).optional().catch(undefined),
  headers: z.instanceof(Headers).optional().catch(undefined),
});

/** Turns anything that a call through a package threw into a `ModelError`. */
export function cloudError(error: unknown, context: CallContext): ModelError {
  if (!(error instanceof Error) || error instanceof ModelError) return toModelError(error, context);
  const why = explainCause(error);
  const { status, error: body, headers = null } = sdkError.parse(error);
  if (status === undefined && /\bcredentials?\b/i.test(why))
    return new ModelError("auth", `${context.host} found no credentials that work (${why}).`, {
      cause: error,
    });
  if (error.cause instanceof ModelError) return error.cause;
  if (status === undefined)
    return error.constructor.name.startsWith("APIConnection")
      ? unreachable(error.cause ?? error, context)
      : toModelError(error, context);
  const { type = "", message = error.message } = readError(body?.error) ?? {};
  return refused({ status, type, message, headers, cause: error }, context);
}
