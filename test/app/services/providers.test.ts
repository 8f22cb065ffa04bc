/** What /connect knows: who can serve a model. */

import { expect, test } from "bun:test";
import { join } from "node:path";
import { clouds, serverNames } from "../../../src/config/servers.ts";
import { folders, openServices } from "./open.ts";

const { home, cwd } = folders("providers")();

async function service(env: Record<string, string> = {}) {
  const opened = await openServices({ home, cwd, args: ["--offline"], env });
  await opened.close();
  return opened.services.providers;
}

test("every provider is listed with what was looked for; what is ready comes first", async () => {
  const offers = await (await service({ OPENROUTER_API_KEY: "k" })).list();
  expect(offers.map(({ provider }) => provider).toSorted()).toEqual(
    ["anthropic" as const, ...clouds, ...serverNames].toSorted(),
  );
  expect(offers.find(({ isReady }) => isReady)).toMatchObject({
    provider: "openrouter",
    found: "its key is in OPENROUTER_API_KEY",
  });
  const find = (name: string) => offers.find(({ provider }) => provider === name)?.found;
  expect(find("anthropic")).toBe("no key in ANTHROPIC_API_KEY");
  expect(find("lmstudio")).toBe("nothing answers at localhost:1234");
  expect(find("vertex")).toBe("no credentials");
  expect((await (await service({ ANTHROPIC_AUTH_TOKEN: "t" })).list())[0]).toMatchObject({
    provider: "anthropic",
    found: "its key is in ANTHROPIC_AUTH_TOKEN",
    isReady: true,
  });
});

test("a cloud is listed with where its credentials are, and its models of Claude", async () => {
  const env = { AWS_PROFILE: "work", AWS_REGION: "eu-west-1" };
  const find = async (more: Record<string, string>, name: string) =>
    (await (await service(more)).list()).find(({ provider }) => provider === name);
  expect(await find(env, "bedrock")).toMatchObject({
    title: "Amazon Bedrock",
    found: "its credentials are in AWS_PROFILE",
    isReady: true,
  });
  const google = join(home, "with-google");
  await Bun.write(join(google, ".config/gcloud/application_default_credentials.json"), "{}");
  expect(await find({ HOME: google }, "vertex")).toMatchObject({
    found: "its credentials are in ~/.config/gcloud/application_default_credentials.json",
    isReady: true,
  });
  expect((await (await service(env)).models("bedrock", null)).join(" ")).toContain(
    "claude-sonnet-5-5",
  );
});
