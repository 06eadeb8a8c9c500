/**
 * Protects, seen from a process of its own: memory stays flat, the S3 SDK is loaded only when
 * needed, and takes our credentials alone.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { PutReport } from "./put-process.ts";
import { ACCESS_KEY, startS3Server } from "./s3-server.ts";
import { STORAGE_KINDS, openStoragePlace } from "./storage-places.ts";

const run = promisify(execFile);
const STORAGE = join(import.meta.dirname, "../../src/storage/open-storage.ts");

async function report(
  url: string,
  command: string,
  count: number,
  megabytes: number,
): Promise<PutReport> {
  const args = [
    join(import.meta.dirname, "put-process.ts"),
    command,
    String(count),
    String(megabytes),
  ];
  const { stdout } = await run(process.execPath, args, { env: { STORAGE_URL: url } });
  return JSON.parse(stdout) as PutReport;
}

/**
 * What one put or read may add to a warm process, whatever its length; most of it is garbage that
 * waits for its collection.
 */
const FLAT_MEGABYTES = { local: { put: 16, read: 48 }, s3: { put: 40, read: 64 } };

for (const kind of STORAGE_KINDS) {
  test(`on ${kind} an object of 100 MB is stored and read in constant memory`, async () => {
    await using place = await openStoragePlace(kind);
    for (const command of ["put", "read"] as const) {
      const { bytes, extraRssMegabytes } = await report(place.url, command, 1, 100);
      assert.equal(bytes, 100_000_000);
      assert.ok(
        extraRssMegabytes < FLAT_MEGABYTES[kind][command],
        `${command}: ${extraRssMegabytes} MB`,
      );
    }
  });
}

test("the S3 SDK is loaded for an s3: address only", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-lazy-"));
  const program = `
    const { openStorage } = await import(${JSON.stringify(STORAGE)});
    const { createRequire } = await import("node:module");
    const loaded = () => Object.keys(createRequire("file:///x.js").cache).some((path) => path.includes("@aws-sdk"));
    await openStorage(${JSON.stringify(`file:${folder}`)});
    const before = loaded();
    await openStorage("s3://k:s@127.0.0.1:1/bucket");
    console.log(JSON.stringify([before, loaded()]));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program]);
  assert.deepEqual(JSON.parse(stdout), [false, true]);
  await rm(folder, { recursive: true });
});

test("what the environment, ~/.aws and the metadata service say of Amazon is not asked for", async () => {
  await using server = await startS3Server();
  let asked = 0;
  const metadata = createServer((socket) => {
    asked += 1;
    socket.destroy();
  })
    .listen(0, "127.0.0.1")
    .unref();
  await once(metadata, "listening");
  const canary = `http://127.0.0.1:${(metadata.address() as AddressInfo).port}`;
  const home = await mkdtemp(join(tmpdir(), "tollgate-home-"));
  await mkdir(join(home, ".aws"));
  // Who opens one of these waits for ever.
  for (const name of ["config", "credentials"]) await run("mkfifo", [join(home, ".aws", name)]);
  const environment = {
    AWS_ACCESS_KEY_ID: "FROMENVIRONMENT",
    AWS_SECRET_ACCESS_KEY: "fromenvironment",
    AWS_SESSION_TOKEN: "fromenvironment",
    AWS_REGION: "xx-nowhere-2",
    AWS_ENDPOINT_URL: canary,
    AWS_ENDPOINT_URL_S3: canary,
    AWS_EC2_METADATA_SERVICE_ENDPOINT: canary,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: canary,
    AWS_MAX_ATTEMPTS: "nonsense",
    AWS_RETRY_MODE: "nonsense",
    AWS_REQUEST_CHECKSUM_CALCULATION: "when_supported",
    AWS_RESPONSE_CHECKSUM_VALIDATION: "nonsense",
    AWS_USE_FIPS_ENDPOINT: "true",
    AWS_USE_DUALSTACK_ENDPOINT: "true",
    AWS_S3_USE_ARN_REGION: "nonsense",
    AWS_DEFAULTS_MODE: "auto",
    HTTP_PROXY: canary,
    http_proxy: canary,
  };
  const args = [join(import.meta.dirname, "put-process.ts"), "put", "1", "12"];
  // What the environment says hides what the files say.
  for (const more of [environment, {}]) {
    const env = { HOME: home, STORAGE_URL: server.url(), ...more };
    const { stdout, stderr } = await run(process.execPath, args, { env, timeout: 20_000 });
    assert.equal((JSON.parse(stdout) as PutReport).bytes, 12_000_000);
    assert.equal(stderr, "");
  }
  assert.ok(server.requests.length > 5);
  for (const { headers } of server.requests) {
    assert.match(
      headers.authorization ?? "",
      new RegExp(`Credential=${ACCESS_KEY}/\\d+/us-east-1/`),
    );
    assert.equal(headers["x-amz-security-token"], undefined);
    assert.equal(headers["x-amz-sdk-checksum-algorithm"], undefined);
  }
  assert.equal(asked, 0);
  metadata.close();
  await rm(home, { recursive: true });
});
