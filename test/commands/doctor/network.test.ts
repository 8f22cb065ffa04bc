import { expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkNetwork } from "../../../src/commands/doctor/network.ts";

const folder = mkdtempSync(join(tmpdir(), "doctor-network-"));
const pem = join(folder, "ca.pem");
writeFileSync(pem, "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n".repeat(2));
const der = join(folder, "ca.der");
writeFileSync(der, "0\u0082");

test("nothing is said where the environment says nothing", () => {
  expect(checkNetwork({})).toEqual([]);
});

test("a proxy is shown without its password", () => {
  const [check] = checkNetwork({ https_proxy: "http://me:secret@proxy.example:8080" });
  expect(check).toMatchObject({ name: "Proxy", state: "ok" });
  expect(check?.text).toBe("http://proxy.example:8080, with a user name (https_proxy)");
  expect(checkNetwork({ HTTPS_PROXY: "proxy" })[0]?.state).toBe("problem");
});

test("files of certificates are looked at", () => {
  const texts = checkNetwork({ NODE_EXTRA_CA_CERTS: pem, SSL_CERT_FILE: der }).map(
    ({ state, text }) => `${state}: ${text}`,
  );
  expect(texts).toEqual([
    `ok: 2 authorities in ${pem} (NODE_EXTRA_CA_CERTS)`,
    `problem: ${der} (SSL_CERT_FILE) holds no certificate in PEM form`,
  ]);
  expect(checkNetwork({ SSL_CERT_FILE: join(folder, "none") })[0]?.text).toContain(
    "cannot be read",
  );
});

test("checks that are switched off are a problem", () => {
  expect(checkNetwork({ NODE_TLS_REJECT_UNAUTHORIZED: "0" })[0]?.state).toBe("problem");
  expect(checkNetwork({ NODE_USE_SYSTEM_CA: "1" })[0]?.state).toBe("ok");
});
