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
const SEALED_HERE = Buffer.from(`"${OUR_SEAL}`);

/** Thinking of an upstream of another protocol, which this one could not read. */
function isSealedHere(item: unknown): boolean {
  if (!isRecord(item) || item["type"] !== "reasoning") return false;
  const sealed = item["encrypted_content"];
  return typeof sealed === "string" && sealed.startsWith(OUR_SEAL);
}

function withoutSealed(object: JsonObject, splices: Splice[]): void {
  if (!object.bytes.includes(SEALED_HERE)) return;
  const { input } = object.whole();
  if (!Array.isArray(input) || !input.some(isSealedHere)) return;
  const kept = (input as readonly unknown[]).filter((item) => !isSealedHere(item));
  splices.push(setMember(object, "input", JSON.stringify(kept)));
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
 * `object` is the body of the request, with model, stream, store, input, tools and tool_choice among
 * its guarded members. Nothing is kept at the upstream, where all callers are one account.
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
  withoutSealed(object, splices);
  if (edit.droppedTools !== undefined) withoutTools(object, edit.droppedTools, splices);
  return spliceBytes(bytes, splices);
}
