/**
 * Decides whether a call may run: reads it, checks what its key may do, looks whether it was
 * answered before, asks its rate limits, and holds the most that it can cost.
 */
import type { CallModel, Catalogue } from "../../catalogue/catalogue.ts";
import type { CallCounts } from "../../contract/price/call-usage.ts";
import { lookUpAmount } from "../../contract/price/price-task.ts";
import { priceCallAtMost, type CallBound } from "../../contract/price/price-call.ts";
import { digestRequest } from "../../idempotency/digest-request.ts";
import { Fault } from "../../kernel/faults.ts";
import { minNano } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { isShort, type RequestHold } from "../../ledger/hold-verdicts.ts";
import type { AskedCall, CallProtocol } from "../../protocol/calls/call-protocol.ts";
import { checkKeyAccess } from "../admission/authenticate.ts";
import type { Idempotency, Replay } from "../admission/idempotency.ts";
import type { RateGate, RatePass } from "../admission/rate-gate.ts";
import { createAccountTurns } from "../chat/account-turns.ts";
import { answeredBy } from "../chat/chat-call.ts";
import { createIdempotentAnswer, type IdempotentAnswer } from "../chat/idempotent-answer.ts";
import { refuseHold } from "../chat/refuse-hold.ts";
import type { CountTexts } from "../chat/refuse-too-long.ts";
import { encodeHoldDetail } from "../money/hold-detail.ts";
import { releaseLater } from "../money/release-later.ts";
import type { SettlePipeline } from "../money/settle-pipeline.ts";
import { countInputs, countsTokens } from "./charge-call.ts";
import type { CallRequest } from "./call-request.ts";
import { createCallRun, type CallRun, type CheckedCall } from "./call-run.ts";
import { resolveCallModel } from "./resolve-call-model.ts";

export interface CallCheckDeps {
  readonly catalogue: { current(): { readonly version: number; readonly catalogue: Catalogue } };
}

export interface CallAdmissionDeps extends CallCheckDeps {
  readonly ledger: Pick<SettlePipeline, "hold" | "extend" | "settle" | "undecided" | "wasLost">;
  readonly ownerId: KeyRecord["keyId"];
  readonly limits: RateGate;
  readonly idempotency: Pick<Idempotency, "begin" | "keep" | "forget">;
  readonly countTexts: CountTexts;
}

/** What the same request by the same idempotency key was answered before. */
export interface ReplayedCall {
  readonly kind: "replay";
  readonly replay: Replay;
}

/** Inputs that are counted for one account one after the other; more go by the estimate. */
const MOST_COUNTING = 32;
/** What an account has that is never refused: so much of the price of what is counted. */
const AROUND_PERCENT = 110;

/** Who asks, and at which endpoint. */
interface CallAsker {
  readonly key: Pick<KeyRecord, "ips" | "models" | "groupModels">;
  readonly ip: string;
  readonly protocol: Pick<CallProtocol, "endpoint">;
}

/** Throws the faults that a request meets before its hold. */
export function checkCall(
  deps: CallCheckDeps,
  { key, ip, protocol }: CallAsker,
  asked: AskedCall,
): CheckedCall {
  const { version, catalogue } = deps.catalogue.current();
  const model = resolveCallModel(catalogue, asked.model, protocol.endpoint);
  const modelRequested = asked.model ?? model.id;
  checkKeyAccess(key, { model: model.id, modelRequested, ip });
  if (asked.unbounded !== null && countsTokens(model.price)) {
    const { param, what } = asked.unbounded;
    throw new Fault("invalid_request", {
      message: `${param}: ${what} is not available for this model, because it has no price here. Leave it out.`,
      param,
    });
  }
  const measure = asked.measure(model.contextTokens ?? null);
  checkImage(model.price, measure.counts);
  const bound = boundOf(measure.inputTokens, measure);
  return {
    asked,
    catalogue,
    model,
    modelRequested,
    answerModel: model.answerModel === "upstream" ? null : model.id,
    priceVersion: version,
    measure,
    bound,
    atMostNano: priceCallAtMost(model.price, bound),
  };
}

/** Throws Fault("invalid_request") for an image whose size or quality is not sold. */
function checkImage({ image }: CallModel["price"], counts: CallCounts): void {
  if (image === undefined) return;
  const found = lookUpAmount(image, counts.image ?? {});
  if (typeof found === "bigint") return;
  const { parameter } = found;
  const asked = counts.image?.[parameter] ?? "auto";
  throw new Fault("invalid_request", {
    message: `'${parameter}' as it is ("${asked.slice(0, 60)}") has no price at this model; GET /v1/models tells those that have.`,
    param: parameter,
  });
}

function boundOf(inputTokens: number, { outputTokens, counts }: CheckedCall["measure"]): CallBound {
  return { inputTokens, outputTokens, counts };
}

/** The same by the count of what is sent; never more than by the estimate. */
export async function countedCall(
  countTexts: CountTexts,
  { asked, model, measure, bound, atMostNano }: CheckedCall,
): Promise<Pick<CheckedCall, "bound" | "atMostNano">> {
  const counted = await countInputs(countTexts, asked);
  const inputTokens = Math.min(Math.floor((counted * AROUND_PERCENT) / 100), bound.inputTokens);
  const exact = boundOf(inputTokens, measure);
  return { bound: exact, atMostNano: minNano(priceCallAtMost(model.price, exact), atMostNano) };
}

/**
 * Rejects with a Fault for a call that may not run; then nothing is held, and its idempotency key is
 * free.
 */
export type CallAdmission = (call: CallRequest) => Promise<CallRun | ReplayedCall>;

export function createCallAdmission(deps: CallAdmissionDeps): CallAdmission {
  const counting = createAccountTurns(MOST_COUNTING);

  async function admit(
    call: CallRequest,
    checked: CheckedCall,
    idempotent: IdempotentAnswer | null,
  ): Promise<CallRun> {
    const pass = await deps.limits.admit(call.key, call.requestId, checked.bound.inputTokens);
    try {
      if (pass.standing !== null) call.reply.showStanding(pass.standing);
      return await hold(call, checked, { idempotent, pass });
    } catch (error) {
      // Also one that is refused for lack of money was a request; its tokens and its place are free
      // again.
      await pass.end(NO_USAGE);
      throw error;
    }
  }

  async function hold(
    call: CallRequest,
    checked: CheckedCall,
    entry: { readonly idempotent: IdempotentAnswer | null; readonly pass: RatePass },
  ): Promise<CallRun> {
    let held = checked;
    let undecided = true;
    try {
      let verdict = await deps.ledger.hold(holdRequest(call, checked));
      undecided = false;
      if (isShort(verdict) && countsTokens(checked.model.price)) {
        const exact = await counting.take(call.key.accountId, () =>
          countedCall(deps.countTexts, checked),
        );
        if (exact !== null && exact.atMostNano < checked.atMostNano) {
          held = { ...checked, ...exact };
          undecided = true;
          verdict = await deps.ledger.hold(holdRequest(call, held));
          undecided = false;
        }
      }
      if (verdict.kind !== "held") throw refuseHold(verdict, held.atMostNano);
      return createCallRun(call, held, { heldNano: verdict.heldNano, ...entry });
    } catch (error) {
      // A hold whose verdict never came may have been made all the same.
      if (undecided) releaseLater(deps.ledger, call.key.accountId, call.requestId);
      throw error;
    }
  }

  /** By its idempotency key: the answer that there is, or a run of its own. */
  async function admitOnce(
    call: CallRequest,
    checked: CheckedCall,
    key: string,
  ): Promise<CallRun | ReplayedCall> {
    const claim = { accountId: call.key.accountId, key, requestId: call.requestId };
    const digest = digestRequest(call.dialect.protocol.endpoint, checked.asked.identity);
    const replay = await deps.idempotency.begin({ ...claim, ownerId: deps.ownerId, digest });
    if (replay !== null) return { kind: "replay", replay };
    try {
      const answer = createIdempotentAnswer(deps.idempotency, call, claim);
      return await admit(answeredBy(answer.reply, call), checked, answer);
    } catch (error) {
      // A caller that tops up or waits may try the same key again.
      await deps.idempotency.forget(claim);
      throw error;
    }
  }

  return async (call) => {
    const asked = await call.dialect.read(call);
    try {
      const { key, ip, dialect } = call;
      const checked = checkCall(deps, { key, ip, protocol: dialect.protocol }, asked);
      const admitted =
        call.idempotencyKey === null
          ? await admit(call, checked, null)
          : await admitOnce(call, checked, call.idempotencyKey);
      if (admitted.kind === "replay") asked.release?.();
      return admitted;
    } catch (error) {
      asked.release?.();
      throw error;
    }
  };
}

function holdRequest(call: CallRequest, checked: CheckedCall): RequestHold {
  return {
    holdId: call.requestId,
    accountId: call.key.accountId,
    budgetId: call.key.keyId,
    groupId: call.key.groupId,
    // What it costs at most is known, so it is held as a whole.
    fullNano: null,
    sliceNano: checked.atMostNano,
    minimumNano: checked.atMostNano,
    priceVersion: checked.priceVersion,
    detail: () => callDetail(call, checked),
  };
}

/** Of a call whose process dies its caller got no whole answer: it says what it was, and no usage. */
export function callDetail(call: CallRequest, checked: CheckedCall): string {
  const { asked, model, modelRequested, priceVersion } = checked;
  return encodeHoldDetail({
    accountId: call.key.accountId,
    keyId: call.key.keyId,
    endpoint: call.dialect.protocol.endpoint,
    modelRequested,
    model: model.id,
    stream: asked.stream,
    startedAt: call.startedAt.toISOString(),
    priceVersion,
    usage: NO_USAGE,
    usageSource: "none",
    ...(call.idempotencyKey === null ? {} : { idempotent: true as const }),
  });
}
