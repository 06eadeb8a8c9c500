/**
 * Holds a text of the catalogue against the list of models that an upstream tells. The upstream is
 * that of the catalogue in force: no credential goes where an edit that was not applied would send it.
 */
import type { UpstreamConfig } from "../../catalogue/catalogue.ts";
import { compareWithList } from "../../catalogue/compare-with-list.ts";
import type { Environment } from "../../catalogue/interpolate.ts";
import type { CurrentCatalogue } from "../../catalogue/live-catalogue.ts";
import { CHAT_PROTOCOLS } from "../../contract/enums/upstream-protocol.ts";
import { decimalText, parseDecimal } from "../../contract/price/decimal.ts";
import type {
  UpstreamListBody,
  UpstreamListed,
  UpstreamLists,
} from "../../contract/panel/upstream-list.ts";
import { Fault } from "../../kernel/faults.ts";
import { startCall } from "../../net/bounded-call.ts";
import type { Outgoing } from "../../net/outgoing.ts";
import { askModelList, type ModelListOutcome } from "../../upstreams/model-lists/ask-model-list.ts";
import { parseFromPanel } from "./catalogue-rules.ts";

export interface CompareDeps {
  readonly env: Environment;
  readonly outgoing: Outgoing;
  readonly catalogue: { current(): CurrentCatalogue };
}

/** Of all pages of a list together: an operator waits for it. */
const DEADLINE_MS = 45_000;
const NO_MARKUP = { digits: 0n, scale: 0 };

type ChatProtocol = (typeof CHAT_PROTOCOLS)[number];
type Listing = UpstreamConfig & { readonly protocol: ChatProtocol };

export function upstreamLists({ catalogue }: Pick<CompareDeps, "catalogue">): UpstreamLists {
  return {
    data: [...catalogue.current().catalogue.upstreams.values()]
      .filter(isListing)
      .map(({ name, protocol, reportedCost }) => ({
        upstream: name,
        protocol,
        rate: reportedCost === undefined ? null : decimalText(reportedCost),
      })),
  };
}

/** Throws Fault("not_found") for an upstream that is not in force, or has no list. */
export async function compareWithUpstream(
  { env, outgoing, catalogue }: CompareDeps,
  body: UpstreamListBody,
): Promise<UpstreamListed> {
  const upstream = catalogue.current().catalogue.upstreams.get(body.upstream);
  if (upstream === undefined || !isListing(upstream))
    throw new Fault("not_found", {
      message: "No upstream of this name that lists its models is in force.",
      param: "upstream",
    });
  const reading = parseFromPanel(body.source, env);
  if (!reading.ok) return { ...NOTHING, mistakes: [...reading.mistakes] };
  const outcome = await ask(env, outgoing, upstream);
  if (outcome.kind === "failed") {
    const { why, status } = outcome;
    return { ...NOTHING, failure: { why, status } };
  }
  const { models, partial } = outcome;
  const rate = body.rate === undefined ? (upstream.reportedCost ?? null) : positive(body.rate);
  const markup = parseDecimal(body.markup ?? "0") ?? NO_MARKUP;
  return {
    ...NOTHING,
    listed: models.length,
    partial,
    priced: models.some(({ prices }) => prices.size > 0),
    rate: rate === null ? null : decimalText(rate),
    ...compareWithList({ source: body.source, catalogue: reading.catalogue }, models, {
      upstream: upstream.name,
      rate,
      markup,
      partial,
    }),
  };
}

const NOTHING: UpstreamListed = {
  mistakes: [],
  failure: null,
  listed: 0,
  partial: false,
  priced: false,
  rate: null,
  costs: [],
  fresh: [],
  gone: [],
  odd: [],
  endOfModels: null,
};

function isListing(upstream: UpstreamConfig): upstream is Listing {
  return CHAT_PROTOCOLS.some((protocol) => protocol === upstream.protocol);
}

/** Nought would make all for free. */
function positive(text: string): ReturnType<typeof parseDecimal> {
  const rate = parseDecimal(text);
  return rate === null || rate.digits === 0n ? null : rate;
}

type Asked = ModelListOutcome | { kind: "failed"; why: "no_credential"; status: null };

async function ask(env: Environment, outgoing: Outgoing, upstream: Listing): Promise<Asked> {
  const { baseUrl, protocol, apiKeyEnv } = upstream;
  const credential = apiKeyEnv.map((name) => (env[name] ?? "").trim()).find((text) => text !== "");
  if (credential === undefined) return { kind: "failed", why: "no_credential", status: null };
  const call = startCall(DEADLINE_MS, () => new Error("the list took too long"), undefined);
  try {
    return await askModelList(outgoing, { baseUrl, protocol, credential }, call.signal);
  } finally {
    call.end();
  }
}
