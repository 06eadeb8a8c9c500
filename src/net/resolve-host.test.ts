/**
 * Protects: all addresses of a name are asked for, over the network alone, and a name server that
 * never answers holds nothing up.
 */
import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { after, before, test } from "node:test";
import { createDnsResolver } from "./resolve-host.ts";

const A = 1;
const AAAA = 28;
/** A name server of loopback: what it knows, by name and type. */
const records: Readonly<Record<string, Readonly<Record<number, readonly (readonly number[])[]>>>> =
  {
    "both.example.com": {
      [A]: [
        [8, 8, 8, 8],
        [127, 0, 0, 1],
      ],
      [AAAA]: [[...Buffer.from("20014860486000000000000000008888", "hex")]],
    },
    "four.example.com": { [A]: [[8, 8, 4, 4]] },
  };
let server: Socket;
let address = "";
const asked: string[] = [];

before(async () => {
  server = createSocket("udp4", (query, from) => {
    let at = 12;
    const labels: string[] = [];
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join(".").toLowerCase();
    const type = query.readUInt16BE(at + 1);
    asked.push(`${name} ${type}`);
    if (name.startsWith("silent")) return;
    const found = records[name]?.[type] ?? [];
    const failed = (name.startsWith("half") && type === AAAA) || name.startsWith("broken");
    const known = name.startsWith("half") && type === A ? [[9, 9, 9, 9]] : found;
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(
      0x8180 |
        (failed
          ? 2
          : known.length === 0 && records[name] === undefined && !name.startsWith("half")
            ? 3
            : 0),
      2,
    );
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(known.length, 6);
    head.writeUInt32BE(0, 8);
    const answers = known.map((bytes) =>
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]),
    );
    server.send(
      Buffer.concat([head, query.subarray(12, at + 5), ...answers]),
      from.port,
      from.address,
    );
  });
  await new Promise<void>((resolve) => server.bind(0, "127.0.0.1", resolve));
  address = `127.0.0.1:${server.address().port}`;
});
after(() => server.close());

test("both families are asked for, and all they have is told", async () => {
  const resolve = createDnsResolver({ servers: [address] });
  const never = new AbortController().signal;
  assert.deepEqual(await resolve("both.example.com", never), [
    "8.8.8.8",
    "127.0.0.1",
    "2001:4860:4860::8888",
  ]);
  assert.deepEqual(await resolve("four.example.com", never), ["8.8.4.4"]);
  assert.deepEqual(asked.toSorted(), [
    "both.example.com 1",
    "both.example.com 28",
    "four.example.com 1",
    "four.example.com 28",
  ]);
});

test("a server that fails for one family is believed for the other, and a name that does not exist has no address", async () => {
  const resolve = createDnsResolver({ servers: [address] });
  const never = new AbortController().signal;
  assert.deepEqual(await resolve("half.example.com", never), ["9.9.9.9"]);
  assert.deepEqual(await resolve("nobody.example.com", never), []);
  // A server in trouble says nothing of the name.
  await assert.rejects(resolve("broken.example.com", never), { code: "ESERVFAIL" });
});

test("the names of this machine's hosts file are not told", async () => {
  const before = asked.length;
  assert.deepEqual(
    await createDnsResolver({ servers: [address] })(
      "localhost.example.com",
      new AbortController().signal,
    ),
    [],
  );
  assert.equal(asked.length, before + 2);
});

test("a server that never answers is given up when the signal says so, and nothing of the question is left", async () => {
  const abort = new AbortController();
  const began = performance.now();
  const answer = createDnsResolver({ servers: [address] })("silent.example.com", abort.signal);
  setTimeout(() => abort.abort(new Error("enough")), 50);
  assert.deepEqual(await answer, []);
  assert.ok(performance.now() - began < 1000);
  assert.ok(!process.getActiveResourcesInfo().some((kind) => kind.startsWith("QueryReq")));
  await assert.rejects(
    createDnsResolver({ servers: [address] })("four.example.com", abort.signal),
    { message: "enough" },
  );
});
