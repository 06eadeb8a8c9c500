/**
 * Decides whether a chat request may run: reads it, checks what its key may do, looks whether it
 * was answered before, asks its rate limits, and holds its money.
 */
import type { Catalogue } from "../../catalogue/catalogue.ts";
import { judgeRaises } from "../../contract/price/judge-raises.ts";
import { resolveUse, TOKENS_ALONE } from "../../contract/price/resolve-use.ts";
import { digestRequest } from "../../idempotency/digest-request.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import { NOTHING_USED } from "../../kernel/price-raises.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { RequestHold } from "../../ledger/hold-verdicts.ts";
import type { ChatRequestReading } from "../../protocol/chat-request.ts";
import { LARGE_BODY_BYTES } from "../../protocol/json/long-strings.ts";
import { checkKeyAccess } from "../admission/authenticate.ts";
import { encodeHoldDetail } from "../money/hold-detail.ts";
import type { Idempotency, Replay } from "../admission/idempotency.ts";
import type { RateGate } from "../admission/rate-gate.ts";
import { createAccountTurns } from "./account-turns.ts";
import type { ChatCall } from "./chat-call.ts";
import type { ChatRun, ChatRunDeps, CheckedChat } from "./chat-run.ts";
import { createChatRun } from "./chat-run.ts";
import { exactMinimum, type Need } from "./exact-minimum.ts";
import { createIdempotentAnswer } from "./idempotent-answer.ts";
import type { IdempotentAnswer } from "./idempotent-answer.ts";
import { planHold } from "./plan-hold.ts";
import { holdDetail, NOTHING_RECORDED } from "./recorded-usage.ts";
import { refuseHold } from "./refuse-hold.ts";
import { mayBeTooLong, refuseTooLong } from "./refuse-too-long.ts";
import { resolveChatModel } from "./resolve-model.ts";

export interface ChatAdmissionDeps extends ChatRunDeps {
  readonly catalogue: { current(): { readonly version: number; readonly catalogue: Catalogue } };
  readonly ownerId: string;
  readonly limits: RateGate;
  readonly idempotency: Pick<Idempotency, "begin" | "keep" | "forget">;
}

/** What the same request by the same idempotency key was answered before. */
export interface ReplayedChat {
  readonly kind: "replay";
  readonly replay: Replay;
}

/**
 * Throws a Fault for a request that may not run; then nothing is held, and its idempotency key is
 * free.
 */
export type ChatAdmission = (call: ChatCall) => Promise<ChatRun | ReplayedChat>;

/**
 * Prompts that are counted for one account one after the other, because the estimate would refuse
 * them; more are refused by it.
 */
const MOST_COUNTING = 32;
/** Longer than any statement may run in the database. */
const RELEASE_AFTER_MS = 15_000;

export function createChatAdmission(deps: ChatAdmissionDeps): ChatAdmission {
  const counting = createAccountTurns(MOST_COUNTING);

  function check(call: ChatCall, reading: ChatRequestReading): CheckedChat {
    if (!reading.ok) throw reading.fault;
    const { request } = reading;
    const { version, catalogue } = deps.catalogue.current();
    const { model, answerModel } = resolveChatModel(
      catalogue,
      request.model,
      call.dialect.endpoint,
    );
    checkKeyAccess(call.key, { model: model.id, modelRequested: request.model, ip: call.ip });
    const asked = judgeRaises(model, request.raises, call.dialect.endpoint);
    return {
      request,
      catalogue,
      priceVersion: version,
      model,
      answerModel,
      plan: planHold(model, request, asked),
      asked,
    };
  }

  async function admit(
    call: ChatCall,
    checked: CheckedChat,
    idempotent: IdempotentAnswer | null,
  ): Promise<ChatRun> {
    const passing = deps.limits.admit(call.key, call.requestId, checked.plan.inputTokens);
    const pass = passing instanceof Promise ? await passing : passing;
    let asked = false;
    try {
      if (pass.standing !== null) call.reply.showStanding(pass.standing);
      const request = holdRequest(call, checked);
      asked = true;
      const holding = deps.ledger.hold(request);
      let hold = holding instanceof Promise ? await holding : holding;
      asked = false;
      let need: Need = { minimumNano: checked.plan.minimumNano, promptTokens: null };
      if (hold.kind === "insufficient-balance" || hold.kind === "limit-exceeded") {
        need =
          (await counting.take(call.key.accountId, () => exactMinimum(deps.countTexts, checked))) ??
          need;
        if (need.minimumNano < checked.plan.minimumNano) {
          asked = true;
          hold = await deps.ledger.hold({
            ...request,
            fullNano: null,
            sliceNano: need.minimumNano,
            minimumNano: need.minimumNano,
          });
          asked = false;
        }
      }
      if (hold.kind !== "held") throw refuseHold(hold, need.minimumNano);
      const { promptTokens } = need;
      return createChatRun(deps, call, checked, { held: hold, idempotent, pass, promptTokens });
    } catch (error) {
      // A hold whose verdict never came may have been made all the same: this process lives, so no
      // other would end it.
      if (asked) releaseLater(call);
      // Also one that is refused for lack of money was a request; its tokens and its place are free
      // again.
      await pass.end(NO_USAGE);
      throw error;
    }
  }

  function holdRequest(call: ChatCall, checked: CheckedChat): RequestHold {
    const { request, model, priceVersion, plan, asked } = checked;
    return {
      holdId: call.requestId,
      accountId: call.key.accountId,
      budgetId: call.key.keyId,
      // A stream never holds its whole limit; a short whole answer may (contract §6).
      fullNano: request.stream ? null : plan.fullNano,
      sliceNano: plan.sliceNano,
      minimumNano: plan.minimumNano,
      priceVersion,
      detail: () => {
        const use = asked === null ? TOKENS_ALONE : resolveUse(model, asked, NOTHING_USED, false);
        const startedAt = call.startedAt.toISOString();
        return encodeHoldDetail(holdDetail(call, checked, NOTHING_RECORDED, startedAt, use));
      },
    };
  }

  /**
   * Once whatever was in flight has been decided: a release that comes before its hold finds
   * nothing, and would be the last one.
   */
  function releaseLater(call: ChatCall): void {
    const { accountId } = call.key;
    const timer = setTimeout(() => {
      if (deps.ledger.undecided) return releaseLater(call);
      deps.ledger
        .settle({
          accountId,
          holdId: call.requestId,
          chargeNano: ZERO_NANO,
          lossNano: ZERO_NANO,
          receipt: null,
        })
        .catch(() => releaseLater(call));
    }, RELEASE_AFTER_MS);
    timer.unref();
  }

  /** By its idempotency key: the answer that there is, or a run of its own. */
  async function admitOnce(
    call: ChatCall,
    checked: CheckedChat,
    key: string,
  ): Promise<ChatRun | ReplayedChat> {
    const claim = { accountId: call.key.accountId, key, requestId: call.requestId };
    const digest = digestRequest(call.dialect.endpoint + call.query, call.body);
    const replay = await deps.idempotency.begin({ ...claim, ownerId: deps.ownerId, digest });
    if (replay !== null) return { kind: "replay", replay };
    try {
      const answer = createIdempotentAnswer(deps.idempotency, call, claim);
      return await admit({ ...call, reply: answer.reply }, checked, answer);
    } catch (error) {
      // A caller that tops up or waits may try the same key again.
      await deps.idempotency.forget(claim);
      throw error;
    }
  }

  return async (call) => {
    const { dialect, body } = call;
    const reading =
      body.length > LARGE_BODY_BYTES
        ? await dialect.readRequestInSlices(body)
        : dialect.readRequest(body);
    const checked = check(call, reading);
    if (mayBeTooLong(checked.request, checked.model))
      await refuseTooLong(deps.countTexts, checked.request, checked.model);
    return call.idempotencyKey === null
      ? admit(call, checked, null)
      : admitOnce(call, checked, call.idempotencyKey);
  };
}
