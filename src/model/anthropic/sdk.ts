/**
 * Anthropic's SDK, or its package for another cloud: loaded when the first call is made, so that it does
 * not slow down the start.
 */

import type Anthropic from "@anthropic-ai/sdk";
import { z } from "zod";
import { errorMessage } from "../../base/format.ts";
import { ModelError } from "../client.ts";
import {
  interrupted,
  explainCause,
  refused,
  unreachable,
  type CallContext,
  readSizes,
} from "../failures.ts";
import { anthropicUrl } from "../../protocol/model.ts";
import type { Fetch } from "../network.ts";

const sdk = () => import("@anthropic-ai/sdk");

/** The part of the client that the packages for other clouds have, too. */
export type Sdk = Pick<Anthropic, "post">;

/** Claude on Amazon Bedrock or Google Vertex AI. `region`: as that cloud names it. */
export type CloudAccess = {
  provider: "bedrock" | "vertex";
  region: string;
  /** Project of Vertex AI; absent: from the credentials. */
  projectId?: string | undefined;
};

type Connection = ({ apiKey: string } | { authToken: string }) & { baseURL: string; fetch: Fetch };

/** Sets every option that the SDK would otherwise read from the environment. */
export async function loadSdk(connection: Connection): Promise<Anthropic> {
  const { default: Client } = await sdk();
  const secret = "apiKey" in connection ? connection.apiKey : connection.authToken;
  const isAnthropic = connection.baseURL === anthropicUrl;
  // The SDK sends a key as a token, which Anthropic accepts; other servers may read only the older header.
  const key = "apiKey" in connection && !isAnthropic ? { "x-api-key": secret } : {};
  return new Client({
    apiKey: null,
    authToken: null,
    webhookKey: null,
    ...quiet,
    // Set here too, or ANTHROPIC_CUSTOM_HEADERS could replace it.
    defaultHeaders: { authorization: `Bearer ${secret}`, ...key },
    ...connection,
  });
}

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
export async function loadCloudSdk(
  { provider, region, projectId }: CloudAccess,
  fetch: Fetch,
): Promise<Sdk> {
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

const errorBody = z.looseObject({
  error: z.looseObject({ type: z.string().optional(), message: z.string().optional() }),
});

/** Turns anything that a call threw into a `ModelError`. */
export async function toModelError(error: unknown, context: CallContext): Promise<ModelError> {
  if (error instanceof ModelError) return error;
  const { APIConnectionError, APIError } = await sdk();
  const why = explainCause(error);
  if (!(error instanceof APIError && error.status !== undefined) && /\bcredentials?\b/i.test(why))
    return new ModelError("auth", `${context.host} found no credentials that work (${why}).`, {
      cause: error,
    });
  if (error instanceof APIConnectionError)
    return error.cause instanceof ModelError
      ? error.cause
      : unreachable(error.cause ?? error, context);
  if (!(error instanceof APIError)) return interrupted(explainCause(error), context, error);
  const status: number | undefined = error.status;
  const headers: Headers | undefined = error.headers;
  const found = errorBody.safeParse(error.error).data?.error;
  return refused(
    {
      status,
      type: found?.type ?? "",
      message: found?.message ?? error.message,
      sizes: found ? readSizes(found) : null,
      headers: status === undefined ? null : (headers ?? null),
      ...(context.host.startsWith("http") && { url: `${context.host}/v1/messages` }),
      cause: error,
    },
    context,
  );
}
