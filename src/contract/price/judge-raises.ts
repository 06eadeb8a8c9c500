/**
 * Decides whether a request may ask for what makes its upstream dearer: each such thing has a
 * price, or is free, or is refused by name (contract §12).
 */
import type { ChatEndpoint } from "../enums/chat-endpoint.ts";
import { Fault } from "../../kernel/faults.ts";
import type { PriceRaise } from "../../kernel/price-raises.ts";
import type { AskedRaises, AskedTool } from "./asked-raises.ts";
import type { ChatTariff } from "./chat-tariff.ts";
import { isBatchVariant } from "./batch-variant.ts";
import { variantOf } from "./chat-rate.ts";

/**
 * It searches for every request, whether or not its answer says so; the other tools are called when
 * the model wants to.
 */
const CALLED_ALWAYS = "web_search_options";

/**
 * No route would carry the marks of what is to be cached that the model has no price for: an
 * upstream that takes them needs one.
 */
const DROPS_CACHE_MARKS: Readonly<Record<ChatEndpoint, boolean>> = {
  "chat.completions": false,
  messages: true,
  responses: false,
};

type RaiseOf<Kind extends PriceRaise["kind"]> = Extract<PriceRaise, { kind: Kind }>;

/**
 * Null where nothing is left that counts.
 * Throws Fault("invalid_request") that names the first field at fault.
 */
export function judgeRaises(
  tariff: ChatTariff,
  raises: readonly PriceRaise[],
  endpoint: ChatEndpoint,
): AskedRaises | null {
  if (raises.length === 0) return null;
  const priced = raises.filter((raise) => !isFree(tariff, raise));
  const variants = askedVariants(tariff, ofKind(priced, "variant"));
  const tools = askedTools(tariff, ofKind(priced, "tool"));
  const media = [...new Set(ofKind(priced, "media").map((raise) => pricedMedia(tariff, raise)))];
  for (const { param, life } of DROPS_CACHE_MARKS[endpoint] ? [] : ofKind(priced, "cacheWrite")) {
    const kind = life === "1h" ? "cacheWrite1h" : "cacheWrite5m";
    if (tariff.price[kind] === undefined) throw refused(param, CACHE_WORDS[life]);
  }
  for (const { param, name } of ofKind(priced, "unpriced")) throw refused(param, `"${name}"`);
  return variants.length === 0 && tools.length === 0 && media.length === 0
    ? null
    : { variants, tools, media };
}

function ofKind<Kind extends PriceRaise["kind"]>(
  raises: readonly PriceRaise[],
  kind: Kind,
): RaiseOf<Kind>[] {
  return raises.filter((raise): raise is RaiseOf<Kind> => raise.kind === kind);
}

/**
 * A field or a tool that the catalogue allows without a price, by its name; what it costs more is
 * the operator's.
 */
function isFree({ surcharges }: ChatTariff, raise: PriceRaise): boolean {
  if (surcharges === undefined || surcharges.free.size === 0) return false;
  const { free } = surcharges;
  if (raise.kind === "tool" && free.has(raise.tool)) return true;
  if (raise.kind === "unpriced" && free.has(raise.name)) return true;
  return (
    free.has(raise.param) ||
    free.has(raise.param.split(/[.[]/, 1)[0] ?? "") ||
    free.has(raise.param.split(".").at(-1) ?? "")
  );
}

function askedVariants(
  tariff: ChatTariff,
  raises: readonly RaiseOf<"variant">[],
): AskedRaises["variants"] {
  let own: string | null = null;
  return raises.map(({ param, field, value }) => {
    // A batch has its own endpoint; at the others its price is not to be had.
    const variant = isBatchVariant(field, value) ? undefined : variantOf(tariff, field, value);
    if (variant === undefined) throw refused(param, `"${value}"`);
    if (variant.kind === "price" && own !== null) {
      throw new Fault("invalid_request", {
        message: `${param}: "${value}" cannot be combined with ${own}: each has a price list of its own. Leave one of them out.`,
        param,
      });
    }
    if (variant.kind === "price") own = param;
    return { field, value };
  });
}

function askedTools({ surcharges }: ChatTariff, raises: readonly RaiseOf<"tool">[]): AskedTool[] {
  const asked = new Map<string, AskedTool>();
  for (const { param, tool, maxUses } of raises) {
    const charge = surcharges?.tools.get(tool);
    if (charge === undefined) throw refused(param, `the tool ${tool}`);
    const before = asked.get(tool);
    asked.set(tool, {
      tool,
      mostCalls: (before?.mostCalls ?? 0) + (maxUses ?? charge.maxCalls),
      maxUses:
        maxUses === null || before?.maxUses === null ? null : maxUses + (before?.maxUses ?? 0),
      silentCalls: Math.max(before?.silentCalls ?? 0, param === CALLED_ALWAYS ? 1 : 0),
    });
  }
  return [...asked.values()];
}

function pricedMedia(
  { price }: ChatTariff,
  { param, media }: RaiseOf<"media">,
): AskedRaises["media"][number] {
  if (price[media] === undefined) throw refused(param, MEDIA_WORDS[media]);
  return media;
}

const CACHE_WORDS = {
  "5m": "writing to a cache",
  "1h": "writing to a cache for an hour or longer",
} as const;

const MEDIA_WORDS = {
  audioInput: "audio in the prompt",
  audioOutput: "audio in the answer",
  imageOutput: "images in the answer",
} as const;

function refused(param: string, what: string): Fault {
  return new Fault("invalid_request", {
    message: `${param}: ${what} is not available for this model, because it has no price here. Leave it out.`,
    param,
  });
}
