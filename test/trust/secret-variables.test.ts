import { expect, test } from "bun:test";
import { isSecretVariable } from "../../src/trust/files/secrets.ts";

test.each([
  ["GITHUB_TOKEN", "x"],
  ["MY_PASSPHRASE", "x"],
  ["DATABASE_URL", "postgres://user:pw@db.example.com/x"],
  ["BROKER", "amqp://guest:guest@localhost"],
  ["SENTRY_DSN", "https://x"],
  ["BILLING", "sk_live_0123456789abcdef"],
  ["PAYLOAD", "-----BEGIN RSA PRIVATE KEY-----"],
])("a confined command does not get %s=%s", (name, value) => {
  expect(isSecretVariable(name, value)).toBe(true);
});

test.each([
  ["PATH", "/usr/bin"],
  ["HTTP_PROXY", "http://me:pw@proxy:8080"],
  ["HOMEPAGE", "https://example.com/@me"],
  ["KEYBOARD", "us"],
  ["REMOTE", "git@github.com:a/b"],
])("but %s=%s", (name, value) => {
  expect(isSecretVariable(name, value)).toBe(false);
});
