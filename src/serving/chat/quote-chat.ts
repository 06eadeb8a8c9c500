/**
 * What a chat request would hold and cost if it were made now: admitted by the same rules, but
 * nothing is held, charged or sent.
 */
import type { Catalogue, ChatModel } from "../../catalogue/catalogue.ts";
import type { ChatEndpoint } from "../../contract/enums/chat-endpoint.ts";
import type { AskedRaises } from "../../contract/price/asked-raises.ts";
import type { ChatUse } from "../../contract/price/chat-tariff.ts";
import { explainChatPrice, type ExplainedPrice } from "../../contract/price/explain-price.ts";
import { judgeRaises } from "../../contract/price/judge-raises.ts";
import type { Nano } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { Caller } from "../admission/find-caller.ts";
import type { Balance } from "../../ledger/accounts.store.ts";
import type { HoldVerdict } from "../../ledger/hold-verdicts.ts";
import type { ChatDialect } from "../../protocol/chat-dialect.ts";
import { checkKeyAccess } from "../admission/authenticate.ts";
import type { Conversations } from "../responses/conversation.ts";
import { availableTo, shortOf, stoppedBy, type KeyFunds } from "../money/key-funds.ts";
import type { KeySpend } from "../money/read-key-spend.ts";
import { keepPriced } from "./dropped-tools.ts";
import { minimumOfCounted } from "./exact-minimum.ts";
import type { HoldPlan } from "./plan-hold.ts";
import { leastLimitOf, planHold } from "./plan-hold.ts";
import { quotedRefusal, type QuotedRefusal } from "./quoted-refusal.ts";
import { refuseHold } from "./refuse-hold.ts";
import { mayBeTooLong, refuseTooLong, type CountTexts } from "./refuse-too-long.ts";
import { resolveChatModel } from "./resolve-model.ts";
import { wholeRequest } from "./whole-call.ts";

export interface ChatQuoteDeps {
  readonly catalogue: { current(): { readonly version: number; readonly catalogue: Catalogue } };
  readBalance(key: KeyRecord): Promise<Balance>;
  readKeySpend(key: KeyRecord): Promise<KeySpend>;
  readonly countTexts: CountTexts;
  /** Absent where no answers are kept. */
  readonly conversations?: Conversations;
}

export interface ChatQuoteCall {
  /** Of the endpoint that the request would go to. */
  readonly dialect: ChatDialect;
  readonly key: KeyRecord & Pick<Caller, "seesKept">;
  readonly ip: string;
  /** The body that would be sent. */
  readonly body: Buffer;
}

export interface ChatQuote {
  readonly model: ChatModel;
  readonly modelRequested: string;
  readonly endpoint: ChatEndpoint;
  readonly priceVersion: number;
  /** By our tokenizer; never above the context window. */
  readonly countedInputTokens: number;
  readonly plan: HoldPlan;
  /** The least that admits the request, by the counted prompt. */
  readonly minimumNano: Nano;
  /**
   * What would be held before the upstream is called; where the request would be refused, the
   * minimum.
   */
  readonly firstNano: Nano;
  /**
   * The counted input, nothing of it cached, the longest answer that the request allows, the
   * variants as asked, and every call that is held for.
   */
  readonly estimateNano: Nano;
  /** What the estimate is made of. */
  readonly explained: ExplainedPrice;
  /** What the request asks for beside tokens; null: nothing. */
  readonly asked: AskedRaises | null;
  /** Tools that the model would not get, by name. */
  readonly droppedTools: readonly string[];
  /** What a request of this key can use now: of the balance, the key's own limit and its group's. */
  readonly availableNano: Nano;
  /** Why the request would not be admitted, as its refusal would say it; null where it would be. */
  readonly refusal: QuotedRefusal | null;
}

/**
 * Throws the faults that the request itself would meet before its hold: a body that is not valid, a
 * model that is not there or not allowed.
 */
export async function quoteChat(deps: ChatQuoteDeps, call: ChatQuoteCall): Promise<ChatQuote> {
  const { dialect, body, key } = call;
  const { accountId, seesKept } = key;
  const asking = { dialect, body, accountId, seesKept, requestId: null };
  const { reading } = await wholeRequest(deps.conversations, asking);
  if (!reading.ok) throw reading.fault;
  const { request } = reading;
  const { version, catalogue } = deps.catalogue.current();
  const { model } = resolveChatModel(catalogue, request.model, call.dialect.endpoint);
  checkKeyAccess(call.key, { model: model.id, modelRequested: request.model, ip: call.ip });
  const { raises, dropped } = keepPriced(request, model, catalogue, call.dialect.native);
  const asked = judgeRaises(model, raises, call.dialect.endpoint);
  if (mayBeTooLong(request, model)) await refuseTooLong(deps.countTexts, request, model);
  const plan = planHold(model, request, asked, leastLimitOf(model, catalogue));
  const [account, spend, promptTokens] = await Promise.all([
    deps.readBalance(call.key),
    deps.readKeySpend(call.key),
    deps.countTexts(request.promptTexts()),
  ]);
  const countedInputTokens = Math.min(promptTokens + request.overheadTokens, model.contextTokens);
  const funds = { account, spend };
  const availableNano = availableTo(funds);
  const minimumNano = minimumOfCounted(promptTokens + request.overheadTokens, {
    request,
    catalogue,
    model,
    plan,
    asked,
  });
  const verdict = foresee({
    plan,
    minimumNano,
    stream: request.stream,
    funds,
    room: availableNano,
  });
  const fault = verdict.kind === "held" ? null : refuseHold(verdict, minimumNano);
  const expected = {
    ...NO_USAGE,
    inputTokens: countedInputTokens,
    outputTokens: plan.limitTokens,
    images: plan.images,
  };
  const explained = explainChatPrice(model, expected, asked === null ? null : expectedUse(asked));
  return {
    model,
    modelRequested: request.model,
    endpoint: call.dialect.endpoint,
    priceVersion: version,
    countedInputTokens,
    plan,
    minimumNano,
    firstNano: verdict.kind === "held" ? verdict.heldNano : minimumNano,
    estimateNano: explained.priceNano,
    explained,
    asked,
    droppedTools: dropped?.names ?? [],
    availableNano,
    refusal: fault === null ? null : quotedRefusal(fault),
  };
}

function expectedUse({ variants, tools }: AskedRaises): ChatUse {
  return {
    variants: Object.fromEntries(variants.map(({ field, value }) => [field, value])),
    tools: Object.fromEntries(tools.map(({ tool, mostCalls }) => [tool, mostCalls])),
  };
}

interface Foreseen {
  readonly plan: HoldPlan;
  /** When the plan is refused. */
  readonly minimumNano: Nano;
  readonly stream: boolean;
  readonly funds: KeyFunds;
  /** What is free of all of them. */
  readonly room: Nano;
}

/**
 * What `ledger.hold_many` would decide with this money, by its own rules: a whole hold only where
 * four of it fit, and never for a stream.
 */
function foresee({ plan, minimumNano, stream, funds, room }: Foreseen): HoldVerdict {
  const stopped = stoppedBy(funds);
  if (stopped !== null) return stopped;
  if (!stream && plan.fullNano <= room / 4n)
    return { kind: "held", heldNano: plan.fullNano, tier: "full" };
  if (plan.sliceNano <= room) return { kind: "held", heldNano: plan.sliceNano, tier: "slice" };
  if (plan.minimumNano <= room)
    return { kind: "held", heldNano: plan.minimumNano, tier: "minimum" };
  if (minimumNano <= room) return { kind: "held", heldNano: minimumNano, tier: "minimum" };
  return shortOf(funds, minimumNano);
}
