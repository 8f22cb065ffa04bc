/** Claude on Amazon Bedrock and Google Vertex AI, through the SDK's own packages. */

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAnthropicClient, type AnthropicAccess } from "../../src/model/anthropic/messages.ts";
import { cloudName } from "../../src/model/catalog.ts";
import { buildRequest, run, saysWords, streamed, toStream, variables } from "./calls.ts";

type CloudAccess = NonNullable<AnthropicAccess["cloud"]>;

const setVariable = variables();

const answer = (): Response => streamed(toStream(saysWords));

/** What a client sends, and what it makes of the answer. */
async function ask(cloud: CloudAccess, model: string, respond = answer) {
  const sent: { url: string; headers: Headers; body: Record<string, unknown> }[] = [];
  const client = createAnthropicClient({
    cloud,
    fetch: async (url, init) => {
      const body = JSON.parse(String(init?.body));
      sent.push({ url: String(url), headers: new Headers(init?.headers), body });
      return respond();
    },
  });
  return { client, sent, outcome: await run(client, buildRequest({ model })) };
}

test("Bedrock is asked at its own address, with the user's AWS credentials", async () => {
  setVariable("AWS_BEARER_TOKEN_BEDROCK", "aws-token");
  const model = cloudName("bedrock", "claude-sonnet-5-5");
  const { client, sent, outcome } = await ask({ provider: "bedrock", region: "eu-west-1" }, model);
  expect(outcome.error).toBeNull();
  expect(outcome.blocks).toEqual([{ type: "text", text: "words" }]);
  expect(sent[0]?.url).toBe(
    "https://bedrock-runtime.eu-west-1.amazonaws.com/model/global.anthropic.claude-sonnet-5-5/invoke-with-response-stream",
  );
  expect(sent[0]?.headers.get("authorization")).toBe("Bearer aws-token");
  expect(sent[0]?.body).toMatchObject({
    anthropic_version: "bedrock-2023-05-31",
    max_tokens: 1_000,
  });
  expect(await client.rules(model)).toMatchObject({ windowTokens: 1_000_000, compacts: false });
  expect(client.label).toBe("Amazon Bedrock in eu-west-1");
});

test("Vertex is asked in the user's project, with a token of Google's", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vertex-"));
  const google = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      Response.json({ access_token: "google-token", expires_in: 3_600, token_type: "Bearer" }),
  });
  writeFileSync(join(folder, "token"), "of-another-issuer");
  const file = join(folder, "credentials.json");
  writeFileSync(
    file,
    JSON.stringify({
      type: "external_account",
      audience:
        "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/a/providers/b",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: `http://127.0.0.1:${google.port}/token`,
      credential_source: { file: join(folder, "token") },
    }),
  );
  setVariable("GOOGLE_APPLICATION_CREDENTIALS", file);
  setVariable("GOOGLE_CLOUD_PROJECT", "quota-project");
  const access: CloudAccess = { provider: "vertex", region: "global", projectId: "my-project" };
  const { sent, outcome } = await ask(access, "claude-sonnet-5-5");
  await google.stop(true);
  rmSync(folder, { recursive: true });
  expect(outcome.error).toBeNull();
  expect(sent[0]?.url).toBe(
    "https://aiplatform.googleapis.com/v1/projects/my-project/locations/global/publishers/anthropic/models/claude-sonnet-5-5:streamRawPredict",
  );
  expect(sent[0]?.headers.get("authorization")).toBe("Bearer google-token");
});

test("a refusal names the cloud, not a key", async () => {
  setVariable("AWS_BEARER_TOKEN_BEDROCK", "aws-token");
  const refuse = () => Response.json({ message: "No access to the model." }, { status: 403 });
  const access: CloudAccess = { provider: "bedrock", region: "us-east-1" };
  const { outcome } = await ask(access, "anthropic.x", refuse);
  expect(outcome.error?.kind).toBe("auth");
  expect(outcome.error?.message).toContain("Amazon Bedrock in us-east-1");
});

test("missing credentials are said at once, and not retried", async () => {
  for (const name of ["AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"])
    setVariable(name, "/nonexistent");
  setVariable("AWS_EC2_METADATA_DISABLED", "true");
  const { outcome, sent } = await ask({ provider: "bedrock", region: "us-east-1" }, "anthropic.x");
  expect(outcome.error).toMatchObject({
    kind: "auth",
    message: expect.stringContaining("Amazon Bedrock in us-east-1 found no credentials"),
  });
  expect(sent).toEqual([]);
});
