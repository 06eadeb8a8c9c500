/**
 * What of a request's surcharges counts so far: asked, told by the upstream, and what its hold must
 * cover for it.
 */
import type { AskedRaises, AskedTool } from "../../contract/price/asked-raises.ts";
import type { ChatTariff } from "../../contract/price/chat-tariff.ts";
import {
  isOrdinary,
  resolveUse,
  TOKENS_ALONE,
  type ResolvedUse,
} from "../../contract/price/resolve-use.ts";
import { NOTHING_USED, type UsedRaises } from "../../kernel/price-raises.ts";

/** What of a run decides it. */
interface Asking {
  readonly model: ChatTariff;
  readonly asked: AskedRaises | null;
  readonly said: { readonly used: UsedRaises } | null;
  readonly translated: boolean;
  readonly served: { readonly cost: ChatTariff | null } | null;
}

function toldBy({ said }: Pick<Asking, "said">): UsedRaises {
  return said === null ? NOTHING_USED : said.used;
}

/**
 * Made of nothing new for the ordinary request, which asks for tokens alone and is told of nothing
 * else.
 */
export function usedOf(run: Asking): ResolvedUse {
  const used = toldBy(run);
  if (run.asked === null && isOrdinary(run.model, run.served?.cost ?? null, used))
    return TOKENS_ALONE;
  return resolveUse(run.model, run.asked, used, run.translated);
}

/**
 * What was asked for, with as many calls of each tool as the answer has told by now where those are
 * more, and are charged.
 */
export function askedSoFar(run: Pick<Asking, "asked" | "said">): AskedRaises | null {
  const { asked } = run;
  if (asked === null || asked.tools.length === 0) return asked;
  const { toolCalls } = toldBy(run);
  const calls = ({ tool, maxUses }: AskedTool): number =>
    Math.min(toolCalls[tool] ?? 0, maxUses ?? Infinity);
  if (asked.tools.every((tool) => calls(tool) <= tool.mostCalls)) return asked;
  return {
    ...asked,
    tools: asked.tools.map((tool) => ({
      ...tool,
      mostCalls: Math.max(tool.mostCalls, calls(tool)),
    })),
  };
}
