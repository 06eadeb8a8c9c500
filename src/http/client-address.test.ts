/**
 * Protects: a forged header never gets past an allowed-address list (hazards §30), and behind
 * proxies of ours every caller has its own address.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, isIP, type AddressInfo } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { ipAllowed } from "../keys/ip-ranges.ts";
import { createClientAddress } from "./client-address.ts";

const PROXIES = ["10.0.0.0/8", "192.0.2.7", "2001:db8:aaaa::/48"];
const PEER = "10.0.0.1";
const behindProxies = createClientAddress(PROXIES);

function addressOf(
  forwarded: string | undefined,
  peer: string | undefined = PEER,
  clientAddress = behindProxies,
): string {
  return clientAddress({
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    socket: { remoteAddress: peer },
  });
}

const CLIENT = "203.0.113.7";
const CASES: readonly (readonly [what: string, forwarded: string | undefined, client: string])[] = [
  ["no header", undefined, PEER],
  ["one proxy", CLIENT, CLIENT],
  ["a forged entry on the left", `198.51.100.1, ${CLIENT}`, CLIENT],
  ["a forged entry that claims to be a proxy", `10.0.0.9, ${CLIENT}`, CLIENT],
  ["many forged entries", `${"198.51.100.1, ".repeat(1_000)}${CLIENT}`, CLIENT],
  ["two proxies", `${CLIENT}, 10.0.0.2`, CLIENT],
  [
    "three proxies and a forged entry",
    `198.51.100.1, ${CLIENT}, 192.0.2.7, 10.255.255.255`,
    CLIENT,
  ],
  ["a proxy of version 6", `${CLIENT}, 2001:db8:aaaa::1`, CLIENT],
  ["none but proxies", "10.0.0.4, 10.0.0.3, 10.0.0.2", "10.0.0.4"],
  ["more proxies than there are", `10.9.9.9, ${"10.0.0.2, ".repeat(1_500)}10.0.0.3`, "10.0.0.2"],
  ["version 6", "2001:db8::1", "2001:db8::1"],
  ["version 6 in brackets", "[2001:db8::1]", "2001:db8::1"],
  ["ports", `[2001:db8::1]:65535, 10.0.0.2:443`, "2001:db8::1"],
  ["a port of version 4", `${CLIENT}:5678`, CLIENT],
  ["mapped", `::ffff:${CLIENT}`, CLIENT],
  ["mapped, in brackets, with a port", `[::FFFF:${CLIENT}]:80`, CLIENT],
  ["a mapped proxy", `${CLIENT}, ::ffff:10.0.0.2`, CLIENT],
  ["compatible is not mapped", `::${CLIENT}`, `::${CLIENT}`],
  [
    "repeated headers, as Node joins them",
    ["198.51.100.1", `${CLIENT}, 10.0.0.3`, "10.0.0.2"].join(", "),
    CLIENT,
  ],
  ["no spaces, or many", `198.51.100.1,\t ${CLIENT} \t,10.0.0.2`, CLIENT],
  ["garbage on the right", `${CLIENT}, unknown`, PEER],
  ["garbage behind a proxy", `${CLIENT}, unknown, 10.0.0.2`, "10.0.0.2"],
  ["garbage on the left", `<script>, ${CLIENT}`, CLIENT],
  ["nothing", "", PEER],
  ["spaces", " \t ", PEER],
  ["commas", ",,,", PEER],
  ["a comma first", `,${CLIENT}`, CLIENT],
  ["a comma last", `${CLIENT},`, PEER],
  ["a name", "localhost", PEER],
  ["a range", "203.0.113.0/24", PEER],
  ["a short spelling", "203.7", PEER],
  ["a number", "3405803783", PEER],
  ["octal", "0203.0.113.7", PEER],
  ["too large a part", "203.0.113.256", PEER],
  ["two ports", `${CLIENT}:1:2`, PEER],
  ["a port without digits", `${CLIENT}:`, PEER],
  ["version 4 in brackets", `[${CLIENT}]`, PEER],
  ["half a bracket", "[2001:db8::1", PEER],
  ["a zone", "fe80::1%eth0", PEER],
  ["a quoted entry of Forwarded", `for="${CLIENT}"`, PEER],
  ["control characters", `${CLIENT}\u0000`, PEER],
  ["a line break", `${CLIENT}\r\nx: y`, PEER],
  ["a space that is none", `\u00a0${CLIENT}`, PEER],
];

for (const [what, forwarded, client] of CASES) {
  test(`behind a trusted proxy: ${what}`, () => assert.equal(addressOf(forwarded), client));
}

test("who is no trusted proxy has its own address, whatever it says", () => {
  for (const [, forwarded] of CASES) {
    for (const peer of ["198.51.100.9", "2001:db8::9", "11.0.0.1", "::ffff:11.0.0.1"])
      assert.equal(addressOf(forwarded, peer), peer);
  }
});

test("without trusted proxies the header means nothing, to anybody", () => {
  const alone = createClientAddress([]);
  for (const peer of ["127.0.0.1", "::1", PEER, CLIENT])
    assert.equal(addressOf("198.51.100.1", peer, alone), peer);
});

test("a proxy is known in either spelling of its address, and by no address at all it is not", () => {
  assert.equal(addressOf(CLIENT, "::ffff:10.0.0.1"), CLIENT);
  assert.equal(addressOf("unknown", "::ffff:10.0.0.1"), "::ffff:10.0.0.1");
  assert.equal(addressOf(CLIENT, "2001:db8:aaaa::5"), CLIENT);
  const gone = { headers: { "x-forwarded-for": CLIENT }, socket: {} };
  assert.deepEqual([behindProxies(gone), createClientAddress([])(gone)], ["", ""]);
});

test("headers that proxies pass on as they come decide nothing", () => {
  const forged = {
    "cf-connecting-ip": CLIENT,
    "x-real-ip": CLIENT,
    "true-client-ip": CLIENT,
    forwarded: `for=${CLIENT}`,
  };
  assert.equal(behindProxies({ headers: forged, socket: { remoteAddress: PEER } }), PEER);
  assert.equal(
    behindProxies({
      headers: { ...forged, "x-forwarded-for": "198.51.100.1" },
      socket: { remoteAddress: PEER },
    }),
    "198.51.100.1",
  );
});

const address = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4().map((v4) => `::ffff:${v4}`),
  fc.nat({ max: 255 }).map((last) => `10.0.0.${last}`),
  fc.constantFrom("192.0.2.7", "2001:db8:aaaa::1", "::ffff:10.1.1.1"),
);
const entry = fc.oneof(
  { weight: 6, arbitrary: address },
  {
    weight: 2,
    arbitrary: fc
      .tuple(address, fc.nat({ max: 65_535 }))
      .map(([ip, port]) => (isIP(ip) === 6 ? `[${ip}]:${port}` : `${ip}:${port}`)),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);
const anyHeader = fc.oneof(
  { weight: 5, arbitrary: fc.array(entry, { maxLength: 30 }).map((entries) => entries.join(", ")) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
);

test("for any header: an untrusted peer is itself; behind a trusted one only what the rightmost entry that is no proxy allows", () => {
  fc.assert(
    fc.property(anyHeader, address, (forwarded, peer) => {
      const read = forwarded.split(",").map((text) => plain(text.trim()));
      // Every entry behind this one is a proxy.
      const at = read.findLastIndex((ip) => !ipAllowed(PROXIES, ip));
      const client = isIP(read[at] ?? "") === 0 ? (read[at + 1] ?? peer) : read[at];
      assert.equal(addressOf(forwarded, peer), ipAllowed(PROXIES, peer) ? client : peer);
    }),
    { numRuns: 5_000 },
  );
});

/** An entry without port, brackets and mapping. */
function plain(entryText: string): string {
  const bracketed = /^\[(.*)\](?::\d+)?$/s.exec(entryText)?.[1];
  return (
    bracketed ?? (entryText.includes(".") ? entryText.replace(/(?<=^[\d.]+):\d+$/, "") : entryText)
  ).replace(/^::ffff:(?=\d+\.)/i, "");
}

test("Node joins the header's lines in their order, so that the last one is the nearest proxy's", async (t) => {
  const server = createServer(
    (request, response) => void response.end(createClientAddress(["127.0.0.1"])(request)),
  ).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.end(
    `GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\nX-Forwarded-For: 198.51.100.1\r\nx-forwarded-for: ${CLIENT}\r\n\r\n`,
  );
  const text = (await socket.setEncoding("latin1").toArray()).join("");
  assert.match(text, /203\.0\.113\.7/);
  assert.doesNotMatch(text, /198\.51\.100\.1/);
});
