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
}

/** What of its answer does; null while there is none. */
interface Reporting {
  readonly reported: { readonly used: UsedRaises };
  readonly translated: boolean;
  readonly route: { readonly cost: ChatTariff | null };
}

/**
 * Made of nothing new for the ordinary request, which asks for tokens alone and is told of nothing
 * else.
 */
export function usedOf({ model, asked }: Asking, answer: Reporting | null): ResolvedUse {
  const used = answer === null ? NOTHING_USED : answer.reported.used;
  if (asked === null && isOrdinary(model, answer?.route.cost ?? null, used)) return TOKENS_ALONE;
  return resolveUse(model, asked, used, answer?.translated === true);
}

/**
 * What was asked for, with as many calls of each tool as the answer has told by now where those are
 * more, and are charged.
 */
export function askedSoFar(
  { asked }: Pick<Asking, "asked">,
  answer: Pick<Reporting, "reported"> | null,
): AskedRaises | null {
  if (asked === null || asked.tools.length === 0 || answer === null) return asked;
  const { toolCalls } = answer.reported.used;
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
