/** What one line of a batch may cost at most: by the rules by which its request would be admitted. */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { isBatchCall, type BatchEndpoint } from "../../contract/enums/batch-endpoint.ts";
import type { ChatEndpoint } from "../../contract/enums/chat-endpoint.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Nano } from "../../kernel/money.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { JsonCallProtocol } from "../../protocol/calls/call-protocol.ts";
import { CHAT_DIALECTS } from "../../protocol/chat-dialects.ts";
import { checkKeyAccess } from "../admission/authenticate.ts";
import { checkCall } from "../calls/admit-call.ts";
import { keepPriced } from "../chat/dropped-tools.ts";
import { leastLimitOf, planHold } from "../chat/plan-hold.ts";
import { mayBeTooLong, refuseTooLong, type CountTexts } from "../chat/refuse-too-long.ts";
import { resolveChatModel } from "../chat/resolve-model.ts";
import { wholeRequest } from "../chat/whole-call.ts";
import type { Conversations } from "../responses/conversation.ts";
import { BATCH_CALLS } from "./batch-calls.ts";
import { passRouteOf, type PassRoute } from "./passes/assign-passes.ts";
import { judgeBatchRaises } from "./judge-batch-raises.ts";

export interface LineAsker {
  /** As `atBatchPrices` gives it. */
  readonly priced: { readonly version: number; readonly catalogue: Catalogue };
  readonly endpoint: BatchEndpoint;
  readonly key: Pick<KeyRecord, "accountId" | "models" | "groupModels" | "ips">;
  readonly ip: string;
  readonly countTexts: CountTexts;
  readonly conversations: Conversations;
}

export interface LineQuote {
  readonly quoteNano: Nano;
  /** The batch of an upstream's that it goes to; null: none. */
  readonly via: PassRoute | null;
}

/** Throws the Fault that the line would be refused with. */
export async function quoteLine(asker: LineAsker, body: Buffer): Promise<LineQuote> {
  const { endpoint } = asker;
  return isBatchCall(endpoint)
    ? quoteCall(asker, BATCH_CALLS[endpoint], body)
    : quoteChat(asker, endpoint, body);
}

async function quoteChat(
  asker: LineAsker,
  endpoint: ChatEndpoint,
  body: Buffer,
): Promise<LineQuote> {
  const { key, ip, countTexts, conversations } = asker;
  const { catalogue } = asker.priced;
  const dialect = CHAT_DIALECTS[endpoint];
  const { reading } = await wholeRequest(conversations, {
    dialect,
    accountId: key.accountId,
    requestId: null,
    body,
  });
  if (!reading.ok) throw reading.fault;
  const { request } = reading;
  if (request.stream) throw NOT_STREAMED;
  const { model } = resolveChatModel(catalogue, request.model, endpoint);
  checkKeyAccess(key, { model: model.id, modelRequested: request.model, ip });
  const { raises } = keepPriced(request, model, catalogue, dialect.native);
  const asked = judgeBatchRaises(model, raises, endpoint);
  if (mayBeTooLong(request, model)) await refuseTooLong(countTexts, request, model);
  const { fullNano } = planHold(model, request, asked, leastLimitOf(model, catalogue));
  return { quoteNano: fullNano, via: passRouteOf(model, catalogue) };
}

function quoteCall(
  { priced, key, ip }: LineAsker,
  protocol: JsonCallProtocol,
  body: Buffer,
): LineQuote {
  const asked = protocol.read(body);
  if (asked.stream) throw NOT_STREAMED;
  const current = () => priced;
  const { model, atMostNano } = checkCall({ catalogue: { current } }, { key, ip, protocol }, asked);
  return { quoteNano: atMostNano, via: passRouteOf(model, priced.catalogue) };
}

const NOT_STREAMED = new Fault("invalid_request", {
  message: "stream: a batch is not streamed. Leave it out.",
  param: "stream",
});
