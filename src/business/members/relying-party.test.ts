/** Guarantee: passkeys are made for the panel's own domain, and for nothing that browsers refuse. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { relyingPartyOf } from "./relying-party.ts";

test("a name over TLS, or this very machine, has passkeys; a number and plain http have none", () => {
  for (const [url, id, origin] of [
    ["https://gateway.example", "gateway.example", "https://gateway.example"],
    ["https://Gateway.example:8443/", "gateway.example", "https://gateway.example:8443"],
    ["http://localhost:8080", "localhost", "http://localhost:8080"],
    ["http://panel.localhost", "panel.localhost", "http://panel.localhost"],
  ])
    assert.deepEqual(relyingPartyOf(url ?? ""), { id, origin });
  for (const url of [
    "http://gateway.example",
    "https://203.0.113.7",
    "http://127.0.0.1:8080",
    "https://[2001:db8::1]",
    "http://notlocalhost",
    "",
  ])
    assert.equal(relyingPartyOf(url), null, url);
});
