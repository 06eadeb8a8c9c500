/**
 * What a request needs by the count of its prompt, for when the estimate alone would refuse it
 * (contract §6).
 */
import type { Catalogue, ChatModel } from "../../catalogue/catalogue.ts";
import type { AskedRaises } from "../../contract/price/asked-raises.ts";
import { minNano, type Nano } from "../../kernel/money.ts";
import type { ChatRequest } from "../../protocol/chat-request.ts";
import { promptAtItsDearest } from "./count-factor.ts";
import { minimumFor, type HoldPlan } from "./plan-hold.ts";
import type { CountTexts } from "./refuse-too-long.ts";

/** An upstream may put a little more around a prompt than we count. */
const AROUND_PERCENT = 105;

export interface Need {
  readonly minimumNano: Nano;
  /** Of the whole prompt, by our tokenizer; null where it is not counted. */
  readonly promptTokens: number | null;
}

interface Asking {
  readonly request: ChatRequest;
  readonly catalogue: Catalogue;
  readonly model: ChatModel;
  readonly plan: HoldPlan;
  readonly asked: AskedRaises | null;
}

/** By the estimate where the model's tokenizer is another one and nothing says by how much. */
export async function exactMinimum(countTexts: CountTexts, asking: Asking): Promise<Need> {
  const { request, catalogue, model, plan } = asking;
  if (promptAtItsDearest(0, model, catalogue) === null)
    return { minimumNano: plan.minimumNano, promptTokens: null };
  const promptTokens = (await countTexts(request.promptTexts())) + request.overheadTokens;
  return { minimumNano: minimumOfCounted(promptTokens, asking), promptTokens };
}

/** Never more than by the estimate. */
export function minimumOfCounted(promptTokens: number, asking: Asking): Nano {
  const { catalogue, model, plan, asked } = asking;
  const counted = promptAtItsDearest(promptTokens, model, catalogue);
  if (counted === null) return plan.minimumNano;
  const inputTokens = Math.min(Math.ceil((counted * AROUND_PERCENT) / 100), plan.inputTokens);
  return minNano(
    minimumFor(model, plan, asked, { inputTokens, writes: mayWrite(asking) }),
    plan.minimumNano,
  );
}

/**
 * Whether the prompt may be written to a cache because the request asks for it; an upstream of
 * another protocol is not told.
 */
function mayWrite({ request, catalogue, model }: Asking): boolean {
  return (
    request.raises.some(({ kind }) => kind === "cacheWrite") &&
    model.routes.some(({ upstream }) => catalogue.upstreams.get(upstream)?.protocol === "anthropic")
  );
}
