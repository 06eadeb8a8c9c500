/**
 * What a call would hold and cost if it were made now: admitted by the same rules, but nothing is
 * held, charged or sent.
 */
import type { CallModel } from "../../catalogue/catalogue.ts";
import type { CallEndpoint } from "../../contract/enums/call-endpoint.ts";
import type { ExplainedPrice } from "../../contract/price/explain-price.ts";
import { explainCallPrice } from "../../contract/price/price-call.ts";
import type { Nano } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import type { Balance } from "../../ledger/accounts.store.ts";
import type { RefusedHold } from "../../ledger/hold-verdicts.ts";
import type { AskedCall } from "../../protocol/calls/call-protocol.ts";
import { quotedRefusal, type QuotedRefusal } from "../chat/quoted-refusal.ts";
import { refuseHold } from "../chat/refuse-hold.ts";
import { availableTo, shortOf, stoppedBy, type KeyFunds } from "../money/key-funds.ts";
import type { KeySpend } from "../money/read-key-spend.ts";
import type { CountTexts } from "../chat/refuse-too-long.ts";
import { countInputs } from "./charge-call.ts";
import { checkCall, countedCall, type CallCheckDeps } from "./admit-call.ts";

export interface CallQuoteDeps extends CallCheckDeps {
  readBalance(key: KeyRecord): Promise<Balance>;
  readKeySpend(key: KeyRecord): Promise<KeySpend>;
  readonly countTexts: CountTexts;
}

export interface CallQuoteCall {
  readonly endpoint: CallEndpoint;
  readonly key: KeyRecord;
  readonly ip: string;
  /** What would be asked; let go of here. */
  readonly asked: AskedCall;
}

export interface CallQuote {
  readonly model: CallModel;
  readonly modelRequested: string;
  readonly endpoint: CallEndpoint;
  readonly priceVersion: number;
  /** By our tokenizer, and by the upper estimate that the hold rests on. */
  readonly inputTokens: { readonly counted: number; readonly atMost: number };
  readonly maxOutputTokens: number;
  /** What would be held; near the end of the money it may be less, by the count. */
  readonly holdNano: Nano;
  /** The counted input, and the longest answer that the request allows. */
  readonly estimateNano: Nano;
  readonly explained: ExplainedPrice;
  readonly availableNano: Nano;
  /** Null where it would be admitted. */
  readonly refusal: QuotedRefusal | null;
}

/** Throws the faults that the request itself would meet before its hold. */
export async function quoteCall(deps: CallQuoteDeps, call: CallQuoteCall): Promise<CallQuote> {
  try {
    return await quote(deps, call);
  } finally {
    call.asked.release?.();
  }
}

async function quote(
  deps: CallQuoteDeps,
  { endpoint, key, ip, asked }: CallQuoteCall,
): Promise<CallQuote> {
  const checked = checkCall(deps, { key, ip, protocol: { endpoint } }, asked);
  const { model, bound, atMostNano } = checked;
  const [account, spend, exact, counted] = await Promise.all([
    deps.readBalance(key),
    deps.readKeySpend(key),
    countedCall(deps.countTexts, checked),
    countInputs(deps.countTexts, asked),
  ]);
  const funds = { account, spend };
  const availableNano = availableTo(funds);
  const inputTokens = Math.min(counted, bound.inputTokens);
  const tokens = { ...NO_USAGE, inputTokens, outputTokens: bound.outputTokens };
  const explained = explainCallPrice(model.price, { tokens, counts: bound.counts });
  const verdict = foresee(exact.atMostNano, funds);
  const fault = verdict === null ? null : refuseHold(verdict, exact.atMostNano);
  return {
    model,
    modelRequested: checked.modelRequested,
    endpoint,
    priceVersion: checked.priceVersion,
    inputTokens: { counted: inputTokens, atMost: bound.inputTokens },
    maxOutputTokens: bound.outputTokens,
    holdNano: atMostNano,
    estimateNano: explained.priceNano,
    explained,
    availableNano,
    refusal: fault === null ? null : quotedRefusal(fault),
  };
}

/** By what the ledger would refuse it; null: it would not. */
function foresee(neededNano: Nano, funds: KeyFunds): RefusedHold | null {
  const stopped = stoppedBy(funds);
  if (stopped !== null) return stopped;
  return neededNano <= availableTo(funds) ? null : shortOf(funds, neededNano);
}
