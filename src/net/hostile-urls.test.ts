/**
 * Protects: no URL that a stranger sends, directly or by a redirect, makes this process open a
 * connection to anything inside.
 */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { checkUrl } from "./check-url.ts";
import { FetchRefusal } from "./fetch-refusal.ts";
import { HOSTILE_URLS, type HostileUrl } from "../../test/support/hostile-urls.ts";
import { isReachable } from "./public-address.ts";
import { createSafeFetch, type SafeFetch } from "./safe-fetch.ts";

/** One port of loopback, on both families, where no fetch may ever arrive. */
const canaries: Server[] = [];
let port = 0;
let visits = 0;
/** Answers each path with a redirect to what `locations` says for it. */
const locations = new Map<string, string>();
let redirector: Server;
let redirectorHost = "";
let fetcher: SafeFetch;
/** Connections that this process began, to anywhere. */
let sockets = 0;
const addressesByName = new Map<string, readonly string[]>();

function countSocket(): void {
  sockets += 1;
}

function listenOn(server: Server, host: string, at: number): Promise<boolean> {
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(at, host, () => resolve(true));
  });
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function visited(socket: Socket): void {
  visits += 1;
  socket.destroy();
}

before(async () => {
  for (let tries = 0; canaries.length === 0; tries += 1) {
    assert.ok(tries < 20, "no port is free on both families");
    const four = createServer(visited);
    const six = createServer(visited);
    await listenOn(four, "127.0.0.1", 0);
    port = portOf(four);
    if (await listenOn(six, "::1", port)) canaries.push(four, six);
    else four.close();
  }
  redirector = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (request: Buffer) => {
      const path = /^GET (\S*) /.exec(request.toString("latin1"))?.[1] ?? "";
      const location = Buffer.from(locations.get(path) ?? "", "utf8").toString("latin1");
      socket.end(
        `HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`,
        "latin1",
      );
    });
  });
  await listenOn(redirector, "127.0.0.1", 0);
  redirectorHost = `127.0.0.1:${portOf(redirector)}`;
  // Were the port what is refused, the addresses would not be tried.
  fetcher = createSafeFetch({
    allow: [],
    ports: [80, 443, port],
    resolve: async (name) => addressesByName.get(name) ?? [],
  });
  subscribe("net.client.socket", countSocket);
});

after(async () => {
  unsubscribe("net.client.socket", countSocket);
  await fetcher.close();
  for (const server of [...canaries, redirector]) server.close();
});

/** An address that redirects there. */
function redirectTo(location: string): string {
  const path = `/${locations.size}`;
  locations.set(path, location);
  return `http://${redirectorHost}${path}`;
}

function written({ url, addresses }: HostileUrl): string {
  const text = url.replaceAll("PORT", String(port));
  if (addresses !== undefined) addressesByName.set(new URL(text).hostname, addresses);
  return text;
}

async function refusalOf(url: string, allowHosts: string[] = []): Promise<FetchRefusal> {
  const [visitsBefore] = [visits];
  const refusal = await fetcher.get(url, { maxBytes: 1000, deadlineMs: 5000, allowHosts }).then(
    () => assert.fail(`${url} was fetched`),
    (error: unknown) => error,
  );
  assert.equal(visits, visitsBefore, `${url} reached loopback`);
  if (!(refusal instanceof FetchRefusal)) throw refusal;
  assert.doesNotMatch(
    refusal.message,
    /\d+\.\d+\.\d+\.\d+|::|169|127/,
    "the message tells an address",
  );
  return refusal;
}

test("the table is as long as it is said to be, and the canary sings", async () => {
  assert.ok(Object.values(HOSTILE_URLS).flat().length >= 150);
  const seen = visits;
  for (const host of ["127.0.0.1", "[::1]"]) {
    await assert.rejects(
      fetcher.get(`http://${host}:${port}/`, {
        maxBytes: 10,
        deadlineMs: 5000,
        allowHosts: [`${host}:${port}`],
      }),
    );
  }
  assert.equal(visits, seen + 2);
  assert.ok(sockets >= 2, "connections of this process are counted");
});

for (const [family, urls] of Object.entries(HOSTILE_URLS)) {
  test(`${family}: refused by the rule, without a connection`, async () => {
    for (const hostile of urls) {
      const text = written(hostile);
      const verdict = checkUrl(text, { allow: [], ports: [80, 443, port] });
      if (hostile.addresses === undefined)
        assert.equal(verdict.ok ? "let through" : verdict.rule, hostile.rule, text);
      else assert.ok(verdict.ok, `${text}: only the network can tell`);
      const before = sockets;
      const refusal = await refusalOf(text);
      assert.equal(refusal.rule, hostile.rule, text);
      assert.doesNotMatch(refusal.message, /redirect/);
      assert.equal(sockets, before, `${text}: a connection was begun`);
    }
  });

  test(`${family}: refused by the rule when a server redirects there`, async () => {
    for (const hostile of urls) {
      const text = written(hostile);
      // Others are no absolute addresses, or cannot be written in a header as they are.
      if (!/^[a-z][a-z0-9+.-]*:/i.test(text) || /[\0\t\r\n\u007f]|\p{Cs}/u.test(text)) continue;
      const before = sockets;
      const refusal = await refusalOf(redirectTo(text), [redirectorHost]);
      assert.equal(refusal.rule, hostile.rule, text);
      assert.match(refusal.message, /redirect/);
      assert.equal(sockets, before + 1, `${text}: a connection was begun after the redirect`);
    }
  });
}

test("a redirect without a scheme goes nowhere else than one with it", async () => {
  for (const [location, rule] of [
    [`//127.0.0.1:${port}/`, "address_not_public"],
    [`//localhost:${port}/`, "internal_name"],
    [`///127.0.0.1:${port}/`, "address_not_public"],
    [`/\\127.0.0.1:${port}/`, "url_characters"],
    [`//user@127.0.0.1:${port}/`, "credentials"],
    ["", "redirect_target"],
  ] as const) {
    assert.equal((await refusalOf(redirectTo(location), [redirectorHost])).rule, rule, location);
  }
});

test("a redirector that is allowed to be private lends that to no other port and host", async () => {
  const refusal = await refusalOf(redirectTo(`http://127.0.0.1:${port}/`), [redirectorHost]);
  assert.equal(refusal.rule, "address_not_public");
});

/**
 * All the ways in which four bytes are written that a URL, a resolver or a translator on the way
 * would understand.
 */
function spellings([a, b, c, d]: readonly [number, number, number, number]): string[] {
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");
  const high = hex(a * 256 + b, 4);
  const low = hex(c * 256 + d, 4);
  const dotted = [a, b, c, d].join(".");
  const inverted = `${hex(0xffff - (a * 256 + b), 4)}:${hex(0xffff - (c * 256 + d), 4)}`;
  return [
    dotted,
    `${dotted}.`,
    String(whole),
    `0x${hex(whole, 8)}`,
    `0${whole.toString(8)}`,
    [a, b, c, d].map((part) => `0x${part.toString(16)}`).join("."),
    [a, b, c, d].map((part) => `0${part.toString(8)}`).join("."),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    dotted.replaceAll(".", "。"),
    dotted.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    `[::ffff:${dotted}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[::${dotted}]`,
    `[::ffff:0:${dotted}]`,
    `[64:ff9b::${dotted}]`,
    `[64:ff9b:1::${high}:${low}]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:4136:e378:8000:63bf:${inverted}]`,
  ];
}

/**
 * Written down once more from IANA's registry of special addresses, so that no library vouches for
 * itself.
 */
const SPECIAL: readonly (readonly [number, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
].map(
  ([base, bits]) =>
    [
      String(base)
        .split(".")
        .reduce((sum, part) => sum * 256 + Number(part), 0),
      Number(bits),
    ] as const,
);

function isSpecial(bytes: readonly number[]): boolean {
  const whole = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  return (
    whole === 0xa83f8110 ||
    SPECIAL.some(
      ([base, bits]) =>
        Math.floor(whole / 2 ** (32 - bits)) === Math.floor(base / 2 ** (32 - bits)),
    )
  );
}

const byte = fc.nat(255);
const anyAddress = fc.tuple(byte, byte, byte, byte);
/** Within a special block, chosen first: random addresses are mostly public. */
const specialAddress = fc
  .tuple(fc.constantFrom(...SPECIAL), fc.nat(0xffffffff))
  .map(([[base, bits], random]) => {
    const whole = base + (random % 2 ** (32 - bits));
    return [24, 16, 8, 0].map((shift) => Math.floor(whole / 2 ** shift) % 256) as [
      number,
      number,
      number,
      number,
    ];
  });

test("an IPv4 address that is not public gets through in no spelling, and one that is in those of IPv4 only", () => {
  fc.assert(
    fc.property(fc.oneof(specialAddress, anyAddress), (bytes) => {
      const special = isSpecial(bytes);
      assert.equal(
        isReachable(bytes.join("."), { allow: [], deny: [] }),
        !special,
        bytes.join("."),
      );
      spellings(bytes).forEach((host, at) => {
        const verdict = checkUrl(`http://${host}/`, { allow: [] });
        if (special || at > 13)
          assert.equal(verdict.ok ? "let through" : verdict.rule, "address_not_public", host);
        else assert.ok(verdict.ok, `${host} is public`);
      });
    }),
    { numRuns: 3000 },
  );
});

test("no spelling of a loopback address leads to a connection", async () => {
  for (const host of spellings([127, 0, 0, 1])) {
    const before = sockets;
    assert.equal((await refusalOf(`http://${host}:${port}/`)).rule, "address_not_public", host);
    assert.equal(sockets, before, host);
  }
});

test("listening goes on: the canary was up to the end", async () => {
  const seen = visits;
  const url = `http://127.0.0.1:${port}/`;
  await assert.rejects(
    fetcher.get(url, { maxBytes: 10, deadlineMs: 5000, allowHosts: [`127.0.0.1:${port}`] }),
  );
  assert.equal(visits, seen + 1);
  const closed = once(canaries[0]!, "close");
  canaries[0]!.close();
  await closed;
});
