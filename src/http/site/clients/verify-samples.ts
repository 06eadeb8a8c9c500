/** How a receiver tells that a webhook is ours, without a library; run by the suite as they stand. */

const NODE = `import { createHmac, timingSafeEqual } from "node:crypto";

// body: the bytes as they came, before anything parses them
export function isSigned(headers, body, secret) {
  const id = headers["webhook-id"];
  const at = headers["webhook-timestamp"];
  if (!(Math.abs(Date.now() / 1000 - Number(at)) < 300)) return false;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const signed = createHmac("sha256", key).update(\`\${id}.\${at}.\`).update(body).digest();
  return String(headers["webhook-signature"]).split(" ").some((one) => {
    const [version, text = ""] = one.split(",");
    const given = Buffer.from(text, "base64");
    return version === "v1" && given.length === signed.length && timingSafeEqual(given, signed);
  });
}`;

const PYTHON = `import base64, hashlib, hmac, time

# body: the bytes as they came, before anything parses them
def is_signed(headers, body, secret):
    message, at = headers["webhook-id"], headers["webhook-timestamp"]
    if not abs(time.time() - int(at)) < 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = hmac.new(key, f"{message}.{at}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(signed).decode()
    given = headers["webhook-signature"].split(" ")
    return any(hmac.compare_digest(expected, one) for one in given)`;

export const VERIFY_SAMPLES = [
  { client: "Node.js", code: NODE },
  { client: "Python", code: PYTHON },
] as const;
