/**
 * Takes thinking out of a request that the vendor has not sealed, and so refuses: an upstream of
 * another protocol thought it.
 */
import { isRecord } from "../json/is-record.ts";
import type { JsonObject } from "../json/read-json-object.ts";
import { setMember } from "../json/set-members.ts";
import type { Splice } from "../json/splice-bytes.ts";
import { isResponsesSeal, RESPONSES_SEAL_MARK } from "../reasoning-seal.ts";

const SIGNATURE = Buffer.from('"signature"');
const QUOTE = 0x22;
const COLON = 0x3a;
const SPACE = 0x20;

/**
 * An empty seal is what the gateway gives in place of one, as it comes back: everything else passes
 * as it is.
 */
function hasEmptySeal(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(SIGNATURE); at >= 0; at = bytes.indexOf(SIGNATURE, at)) {
    at += SIGNATURE.length;
    let position = at;
    while ((bytes[position] ?? QUOTE) <= SPACE || bytes[position] === COLON) position += 1;
    if (bytes[position] === QUOTE && bytes[position + 1] === QUOTE) return true;
  }
  return false;
}

function isUnsealed(block: unknown): boolean {
  if (!isRecord(block)) return false;
  const { type, signature, data } = block;
  if (type === "redacted_thinking") return typeof data === "string" && isResponsesSeal(data);
  if (type !== "thinking" || typeof signature !== "string") return false;
  return signature === "" || isResponsesSeal(signature);
}

/** Without its unsealed blocks; null where nothing is left of it. */
function sealedPart(message: unknown): unknown {
  if (!isRecord(message) || message["role"] !== "assistant" || !Array.isArray(message["content"]))
    return message;
  const content: unknown[] = message["content"].filter((block) => !isUnsealed(block));
  if (content.length === message["content"].length) return message;
  return content.length === 0 ? null : { ...message, content };
}

/**
 * Calls of a turn that lost its thinking cannot be gone on with while thinking is on (the vendor's
 * rule).
 */
function lostBeforeCall(before: unknown, after: unknown): boolean {
  if (before === after || !isRecord(after) || !Array.isArray(after["content"])) return false;
  return after["content"].some((block) => isRecord(block) && block["type"] === "tool_use");
}

/** No splice, and so no byte changed, where every thought has the vendor's seal. */
export function dropUnsealedThinking(bytes: Buffer, object: JsonObject): Splice[] {
  if (!hasEmptySeal(bytes) && !bytes.includes(RESPONSES_SEAL_MARK)) return [];
  const body = object.whole();
  const messages: unknown[] = Array.isArray(body["messages"]) ? body["messages"] : [];
  const sealed = messages.map(sealedPart);
  if (sealed.every((message, index) => message === messages[index])) return [];
  const splices = [
    setMember(object, "messages", JSON.stringify(sealed.filter((message) => message !== null))),
  ];
  const { thinking } = body;
  if (
    isRecord(thinking) &&
    thinking["type"] === "enabled" &&
    sealed.some((message, index) => lostBeforeCall(messages[index], message))
  ) {
    splices.push(setMember(object, "thinking", '{"type":"disabled"}'));
  }
  return splices;
}
