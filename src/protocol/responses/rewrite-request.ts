/**
 * Changes the few values of a Responses request that the gateway must change for an upstream of the
 * same protocol, and no other byte of it.
 */
import { OUR_SEAL } from "../account-seal.ts";
import type { ChatRequest, ChatRequestEdit } from "../chat-request.ts";
import { isRecord } from "../json/is-record.ts";
import type { JsonObject } from "../json/read-json-object.ts";
import { setMember } from "../json/set-members.ts";
import { spliceBytes, type Splice } from "../json/splice-bytes.ts";

const PREVIOUS = "previous_response_id";
const REASONING = Buffer.from('"reasoning"');
const SEALS = "reasoning.encrypted_content";

/**
 * Thinking that this upstream could not take: of one of another protocol, or with nothing but a
 * summary, for which it would look among what it does not keep.
 */
function isUseless(item: unknown): boolean {
  if (!isRecord(item) || item["type"] !== "reasoning") return false;
  const { encrypted_content: sealed, content } = item;
  if (typeof sealed === "string") return sealed.startsWith(OUR_SEAL);
  return !Array.isArray(content) || content.length === 0;
}

function withoutUseless(object: JsonObject, splices: Splice[]): void {
  if (!object.bytes.includes(REASONING)) return;
  const { input } = object.whole();
  if (!Array.isArray(input) || !input.some(isUseless)) return;
  const kept = (input as readonly unknown[]).filter((item) => !isUseless(item));
  splices.push(setMember(object, "input", JSON.stringify(kept)));
}

/** The conversation may go on from what is kept here, and its thinking is kept nowhere else. */
function withSeals(object: JsonObject, request: ChatRequest, splices: Splice[]): void {
  const { include, reasoning } = object.value;
  if (request.conversation?.store !== true) return;
  if (!isRecord(reasoning) || reasoning["effort"] === "none") return;
  const asked: readonly unknown[] = Array.isArray(include) ? include : [];
  if (asked.includes(SEALS)) return;
  splices.push(setMember(object, "include", JSON.stringify([...asked, SEALS])));
}

/** A choice of a tool that is left out is the model's again. */
function withoutTools(object: JsonObject, dropped: ReadonlySet<number>, splices: Splice[]): void {
  const { tools, tool_choice: choice } = object.whole();
  if (dropped.size === 0 || !Array.isArray(tools)) return;
  const all = tools as readonly unknown[];
  const kept = all.filter((_, index) => !dropped.has(index));
  splices.push(setMember(object, "tools", JSON.stringify(kept)));
  const types = new Set(all.flatMap((tool, index) => (dropped.has(index) ? [typeOf(tool)] : [])));
  const none = kept.length === 0 && choice !== undefined && choice !== "none";
  if (none || (isRecord(choice) && types.has(typeOf(choice))))
    splices.push(setMember(object, "tool_choice", '"auto"'));
  else if (
    isRecord(choice) &&
    choice["type"] === "allowed_tools" &&
    Array.isArray(choice["tools"])
  ) {
    const allowed = choice["tools"].filter((tool: unknown) => !types.has(typeOf(tool)));
    splices.push(setMember(object, "tool_choice", JSON.stringify({ ...choice, tools: allowed })));
  }
}

function typeOf(tool: unknown): unknown {
  return isRecord(tool) ? tool["type"] : undefined;
}

/**
 * `object` is the body of the request, with model, stream, store, input, include, tools and tool_choice
 * among its guarded members. Nothing is kept at the upstream, where all callers are one account.
 */
export function rewriteRequest(
  object: JsonObject,
  request: ChatRequest,
  edit: ChatRequestEdit,
): Buffer {
  const { bytes } = object;
  const splices: Splice[] = [];
  if (request.model !== edit.model)
    splices.push(setMember(object, "model", JSON.stringify(edit.model)));
  if (edit.stream !== undefined && edit.stream !== request.stream)
    splices.push(setMember(object, "stream", String(edit.stream)));
  splices.push(setMember(object, "store", "false"));
  // What it names is in the input by now.
  if (object.members.some(({ key }) => key === PREVIOUS))
    splices.push(setMember(object, PREVIOUS, "null"));
  withoutUseless(object, splices);
  withSeals(object, request, splices);
  if (edit.droppedTools !== undefined) withoutTools(object, edit.droppedTools, splices);
  return spliceBytes(bytes, splices);
}
