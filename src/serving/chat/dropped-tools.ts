/**
 * Which tools of a request its model does not get, because they have no price here or no upstream of
 * the model runs them: clients send them unasked, so they are named and not refused (contract §12).
 */
import type { Catalogue, ChatModel } from "../../catalogue/catalogue.ts";
import type { ChatProtocol } from "../../contract/enums/upstream-protocol.ts";
import type { ChatTariff } from "../../contract/price/chat-tariff.ts";
import type { PriceRaise } from "../../kernel/price-raises.ts";
import type { ChatRequest } from "../../protocol/chat-request.ts";
import type { HostedTool } from "../../protocol/hosted-tool.ts";

export interface DroppedTools {
  /** Their places among the tools of the request. */
  readonly places: ReadonlySet<number>;
  /** In the catalogue's words, each once, in the order of the request. */
  readonly names: readonly string[];
}

/** What is judged, and what is left out. `dropped`: null where it is nothing. */
export interface KeptRaises {
  readonly raises: readonly PriceRaise[];
  readonly dropped: DroppedTools | null;
}

/** On the receipt and with the hold; nothing where nothing was left out. */
export function droppedPart(dropped: DroppedTools | null): { droppedTools?: readonly string[] } {
  return dropped === null ? {} : { droppedTools: dropped.names };
}

/** `native`: the protocol of the upstreams that get the request as it is; null where there are none. */
export function keepPriced(
  { raises, hostedTools }: Pick<ChatRequest, "raises" | "hostedTools">,
  model: ChatModel,
  { upstreams }: Pick<Catalogue, "upstreams">,
  native: ChatProtocol | null,
): KeptRaises {
  if (hostedTools === undefined || hostedTools.length === 0) return { raises, dropped: null };
  const runs = model.routes.some(({ upstream }) => upstreams.get(upstream)?.protocol === native);
  const left = hostedTools.filter((tool) => !runs || !isKept(tool, model));
  if (left.length === 0) return { raises, dropped: null };
  const params = left.map(({ index }) => `tools[${index}]`);
  const isOf = (param: string): boolean =>
    params.some((tool) => param === tool || param.startsWith(`${tool}.`));
  return {
    raises: raises.filter(({ param }) => !isOf(param)),
    dropped: {
      places: new Set(left.map(({ index }) => index)),
      names: [...new Set(left.map(({ name }) => name))],
    },
  };
}

function isKept({ name, kind, dearer, foreign }: HostedTool, { surcharges }: ChatTariff): boolean {
  if (foreign) return false;
  if (dearer.some((member) => surcharges?.free.has(member) !== true)) return false;
  if (kind === "client" || kind === "free" || surcharges?.free.has(name) === true) return true;
  return kind === "paid" && surcharges?.tools.get(name) !== undefined;
}
