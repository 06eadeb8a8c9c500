/** Guards the codes of the second factor: those of RFC 6238, one period around, and no other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newTotpSecret, totpStep, totpUri } from "./totp-code.ts";

/** "12345678901234567890", as in RFC 6238, appendix B; its eight digits end with these six. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const VECTORS = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
] as const;

test("the codes of the standard are taken in their period and in those beside it, and are known by it", () => {
  for (const [seconds, code] of VECTORS) {
    const step = Math.floor(seconds / 30);
    for (const away of [-1, 0, 1])
      assert.equal(
        totpStep(SECRET, code, new Date((seconds + away * 30) * 1000)),
        step,
        `${code} ${away}`,
      );
    for (const away of [-2, 2])
      assert.equal(
        totpStep(SECRET, code, new Date((seconds + away * 30) * 1000)),
        null,
        `${code} ${away}`,
      );
  }
});

test("nothing else is a code", () => {
  for (const code of ["", "28708", "2870822", "28708a", "      ", "000000"])
    assert.equal(totpStep(SECRET, code, new Date(59_000)), null, code);
});

test("secrets are 160 bits of chance, and an app understands their address", () => {
  const secrets = new Set(Array.from({ length: 100 }, newTotpSecret));
  assert.equal(secrets.size, 100);
  for (const secret of secrets) assert.match(secret, /^[A-Z2-7]{32}$/);
  const uri = new URL(totpUri(SECRET, "anna+x@example.com", "Tollgate"));
  assert.equal(decodeURIComponent(uri.pathname), "/Tollgate:anna+x@example.com");
  assert.deepEqual(
    [uri.protocol, uri.host, uri.searchParams.get("secret"), uri.searchParams.get("issuer")],
    ["otpauth:", "totp", SECRET, "Tollgate"],
  );
});
