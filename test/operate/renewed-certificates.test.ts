/**
 * Guarantee: a certificate that an upstream or PostgreSQL changes while the gateway runs is asked
 * for with each new connection: a new one of a believed authority is served on without a restart, a
 * stranger's is refused and not charged, and PostgreSQL's authority may change in its file.
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test, type TestContext } from "node:test";
import type { TLSSocket } from "node:tls";
import { openDatabase } from "../../src/db/database.ts";
import { verifyLedger } from "../../src/business/operate/verify-ledger.ts";
import { moneyCatalogue } from "../money/money-catalogue.ts";
import { openChatScene } from "../support/chat-scene.ts";
import { startGateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { openAiCompletion } from "../support/openai-stream.ts";
import { postChat } from "../support/post-chat.ts";
import { createTestAuthority, hasOpenSsl, type Identity } from "../support/test-authority.ts";
import { startTlsCluster } from "../support/tls-cluster.ts";
import { until } from "../support/until.ts";

const USAGE = { prompt_tokens: 3, completion_tokens: 1 };
const MESSAGES = [{ role: "user", content: "hi" }];

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "certificates-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An upstream of chat over TLS, which may show another certificate to the next connection. */
async function startTlsUpstream(t: TestContext, first: Identity) {
  const completion = JSON.stringify(openAiCompletion({ pieces: ["hello"], usage: USAGE }));
  const serials: string[] = [];
  const server = createServer(first, (request, response) => {
    request.resume().on("end", () => {
      const own = (request.socket as TLSSocket).getX509Certificate();
      serials.push(own?.serialNumber ?? "none");
      response.writeHead(200, { "content-type": "application/json" }).end(completion);
    });
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    serials,
    /** Connections that are open go on with the one that they have. */
    show(identity: Identity): void {
      server.setSecureContext(identity);
    },
    hangUp: () => server.closeAllConnections(),
  };
}

suite("renewed certificates", { skip: hasOpenSsl() ? false : "openssl is not installed" }, () => {
  test("of an upstream", { timeout: 60_000 }, async (t) => {
    const folder = newFolder(t);
    const believed = createTestAuthority(folder, "believed");
    const stranger = createTestAuthority(folder, "stranger");
    const upstream = await startTlsUpstream(t, believed.issue());
    const scene = await openChatScene({
      catalogue: () => `
upstreams: { secure: { protocol: openai, baseUrl: "${upstream.url}/v1", apiKeyEnv: UPSTREAM_KEY } }
models:
  standard: { type: chat, endpoints: [chat.completions], contextTokens: 20000, maxOutputTokens: 8000,
    price: { input: "150", output: "600" }, routes: [ { upstream: secure, model: upstream-model } ] }
`,
      env: { NODE_EXTRA_CA_CERTS: believed.certificate },
    });
    t.after(() => scene.close());
    const customer = await scene.customer();
    const chat = async (): Promise<number> => {
      const body = { model: "standard", max_tokens: 5, messages: MESSAGES };
      return (await postChat(scene.gateway.url, customer.secret, body).answer).status;
    };
    assert.equal(await chat(), 200);
    upstream.show(believed.issue());
    assert.equal(await chat(), 200);
    assert.equal(new Set(upstream.serials).size, 1, "an open connection stays as it is");
    upstream.hangUp();
    assert.equal(await until("it is asked again", async () => (await chat()) === 200), true);
    assert.equal(new Set(upstream.serials).size, 2, "a new one has the new certificate");

    const asked = upstream.serials.length;
    const { charged } = await scene.money(customer.accountId);
    upstream.show(stranger.issue());
    upstream.hangUp();
    await until("a stranger is refused", async () => (await chat()) >= 500);
    assert.equal(upstream.serials.length, asked, "a stranger gets no request, and no credential");
    assert.equal((await scene.money(customer.accountId)).charged, charged);

    upstream.show(believed.issue());
    await until("the believed one is served again", async () => (await chat()) === 200);
    await scene.receipts(customer.accountId, 4);
    await scene.verifyBooks();
  });

  test("of PostgreSQL, and of its authority", { timeout: 90_000 }, async (t) => {
    const folder = newFolder(t);
    const cluster = await startTlsCluster({
      ssl: true,
      access: "hostssl all all 127.0.0.1/32 trust\n",
    });
    t.after(() => cluster.stop());
    const root = join(folder, "root.crt");
    copyFileSync(cluster.authority, root);
    const databaseUrl = `${cluster.address()}?sslmode=verify-full&sslrootcert=${root}`;
    const gateway = await startGateway({
      databaseUrl,
      catalogue: moneyCatalogue("http://127.0.0.1:9"),
      env: { SCRIPTED_API_KEY: "x" },
    });
    t.after(() => gateway.stop());
    const ready = async (): Promise<boolean> => (await fetch(`${gateway.url}/readyz`)).ok;
    /** Past TLS, as an administrator of the server. */
    const db = openDatabase({
      url: `${cluster.address()}?sslmode=no-verify`,
      poolSize: 1,
      applicationName: "test",
      onError: () => undefined,
    });
    t.after(() => db.close());
    const { secret } = await newKey(db, await newAccount(db));
    const balance = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${secret}` };
      return (await fetch(`${gateway.url}/v1/balance`, { headers })).status;
    };
    const cutAll = () =>
      db.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
      );
    assert.equal(await balance(), 200);

    cluster.renew("authority");
    await cutAll();
    await until("it is served by the new certificate", async () => (await balance()) === 200);
    assert.ok(await until("it is ready", ready));

    cluster.renew("stranger");
    await until("a stranger is refused", async () => {
      await cutAll();
      return (await balance()) === 503;
    });
    copyFileSync(cluster.stranger, root);
    await until("its authority is believed", async () => (await balance()) === 200);
    assert.ok(await until("it is ready again", ready));
    assert.deepEqual((await verifyLedger(db)).mismatches, []);
  });
});
