/** Guarantee: no body of a message batch, however made or cut, is admitted in part, leaves a file, or takes the gateway down. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { balance } from "../../src/ledger/accounts.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { until } from "../support/until.ts";
import { batchCatalogue, chatBody } from "./batch-world.ts";
import { startCountingUpstream, type CountingUpstream } from "./scripted-answers.ts";

let database: TestDatabase;
let upstream: CountingUpstream;
let gateway: Gateway;
let accountId: string;
let secret: string;

before(async () => {
  database = await testDatabase();
  upstream = await startCountingUpstream();
  gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: batchCatalogue(upstream.url),
    env: { UPSTREAM_KEY: "sk-operators-own-0123456789abcdef", UPLOAD_MAX_MB: "20" },
  });
  accountId = await newAccount(database.db, "100");
  ({ secret } = await newKey(database.db, accountId));
});
after(async () => {
  await gateway.stop();
  await upstream.close();
  await database.drop();
});

async function post(body: string | Buffer, headers = {}): Promise<number> {
  const answer = await fetch(`${gateway.url}/v1/messages/batches`, {
    method: "POST",
    headers: { "x-api-key": secret, "content-type": "application/json", ...headers },
    body: new Uint8Array(Buffer.from(body)),
  });
  const answered = (await answer.json()) as { type: string; error?: { type: string } };
  if (answer.status !== 200) assert.equal(answered.type, "error");
  return answer.status;
}

async function assertNothingLeft(): Promise<void> {
  const rows = await database.db.query<{ files: bigint; batches: bigint }>(
    `SELECT (SELECT count(*) FROM files.files WHERE account_id = $1) AS files,
       (SELECT count(*) FROM batches.batches WHERE account_id = $1) AS batches`,
    [accountId],
  );
  assert.deepEqual(rows, [{ files: 0n, batches: 0n }]);
  assert.equal((await balance(database.db, accountId))?.heldNano, 0n);
}

const good = JSON.stringify({ custom_id: "a", params: chatBody("x") });
const HOSTILE: readonly (readonly [
  name: string,
  status: number,
  body: string | Buffer,
  headers?: object,
])[] = [
  ["no body", 400, ""],
  ["no JSON", 400, "nonsense"],
  ["a list", 400, `[${good}]`],
  ["no requests", 400, "{}"],
  ["an empty list", 400, '{"requests":[]}'],
  ["a list that breaks off", 400, `{"requests":[${good}`],
  ["a list of numbers", 400, '{"requests":[1,2]}'],
  ["a number behind a good request", 400, `{"requests":[${good},2]}`],
  ["another spelling", 400, `{"Requests":[${good}]}`],
  ["two lists", 400, `{"requests":[${good}],"requests":[]}`],
  ["rubbish behind it", 400, `{"requests":[${good}]}}`],
  ["a request that is no JSON", 400, `{"requests":[{"custom_id":"a","params":{"x":]}}]}`],
  [
    "a request twice as it is spelled",
    400,
    `{"requests":[{"custom_id":"a","params":{},"params":{}}]}`,
  ],
  ["no UTF-8", 400, Buffer.from(`{"requests":[{"custom_id":"\xff","params":{}}]}`, "latin1")],
  [
    "a request of 9 MB",
    400,
    `{"requests":[{"custom_id":"a","params":{"x":"${"y".repeat(9e6)}"}}]}`,
  ],
  [
    "too deep",
    400,
    `{"requests":[{"custom_id":"a","params":${"[".repeat(500)}${"]".repeat(500)}}]}`,
  ],
  ["more than a body may have", 413, Buffer.alloc(21 * 1024 * 1024, 32)],
  ["packed", 415, good, { "content-encoding": "gzip" }],
  ["a form", 415, good, { "content-type": "text/plain" }],
];

for (const [name, status, body, headers = {}] of HOSTILE)
  test(`hostile: ${name}`, async () => {
    assert.equal(await post(body, headers), status);
    await assertNothingLeft();
  });

test("a sender that leaves in the middle leaves nothing, and the gateway goes on", async () => {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/messages/batches HTTP/1.1\r\nhost: x\r\nx-api-key: ${secret}\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n{"requests":[${good},`,
  );
  socket.write("x".repeat(100_000));
  await until("it is being received", async () => {
    const rows = await database.db.query("SELECT FROM files.files WHERE account_id = $1", [
      accountId,
    ]);
    return rows.length > 0;
  });
  socket.destroy();
  await until("nothing is left of it", async () => {
    const rows = await database.db.query("SELECT FROM files.files WHERE account_id = $1", [
      accountId,
    ]);
    return rows.length === 0;
  });
  assert.equal(await post(`{"requests":[${good}]}`), 200);
});
