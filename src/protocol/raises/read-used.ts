/** Reads from answers what was really used of what makes an upstream dearer. */
import { NOTHING_USED, type UsedRaises, type VariantField } from "../../kernel/price-raises.ts";
import { isRecord } from "../json/is-record.ts";
import { readTokenCount } from "../token-count.ts";
import { tierName } from "./read-raises.ts";
import { calledTool } from "./vendor-tools.ts";

/**
 * What the names of counts end in: `web_search_requests` (Anthropic, OpenRouter),
 * `web_search_calls` (xAI).
 */
const COUNT_ENDS = /_(?:requests|calls)$/;
/** xAI's: ten billion to the dollar. */
const TICK_DIGITS = 10;

/** A number of JSON as decimal text, without an exponent; null for what is no cost. */
function decimalText(cost: unknown): string | null {
  if (typeof cost !== "number" || !Number.isFinite(cost) || cost < 0) return null;
  const text = String(cost);
  return text.includes("e") ? cost.toFixed(20).replace(/\.?0+$/, "") : text;
}

/** What the upstream charges: OpenRouter's `cost`, Perplexity's `cost.total_cost`, xAI's ticks. */
function costTextOf({ cost, cost_in_usd_ticks: ticks }: Record<string, unknown>): string | null {
  if (typeof ticks === "number" && Number.isSafeInteger(ticks) && ticks >= 0) {
    const digits = String(ticks).padStart(TICK_DIGITS + 1, "0");
    return `${digits.slice(0, -TICK_DIGITS)}.${digits.slice(-TICK_DIGITS)}`.replace(/\.?0+$/, "");
  }
  return decimalText(isRecord(cost) ? cost["total_cost"] : cost);
}

/** What one answer, whole or as far as its stream has come, says that it used. */
export class UsedSoFar {
  used: UsedRaises = NOTHING_USED;
  /** Tools whose calls a usage has counted: what was seen of them counts no more. */
  #counted: Set<string> | null = null;

  /** An object that may name a tier, a speed or a region: the answer itself, or its usage. */
  variantsOf(reported: Record<string, unknown>): void {
    this.#variant("serviceTier", reported["service_tier"]);
    this.#variant("speed", reported["speed"]);
    this.#variant("inferenceGeo", reported["inference_geo"]);
  }

  /**
   * The `usage` of an answer of any protocol: it tells of the whole answer so far, so a later
   * one counts. `begins`: it came before the answer.
   */
  usage(usage: unknown, begins = false): void {
    if (!isRecord(usage)) return;
    this.variantsOf(usage);
    const costText = costTextOf(usage);
    const forgets = costText === "0" && this.used.costText !== null;
    if (costText !== null && !forgets && costText !== this.used.costText)
      this.used = { ...this.used, costText };
    for (const counts of [usage["server_tool_use"], usage["server_side_tool_usage_details"]]) {
      if (!isRecord(counts)) continue;
      for (const name of Object.keys(counts))
        if (COUNT_ENDS.test(name)) this.#count(name.replace(COUNT_ENDS, ""), counts[name], begins);
    }
    this.#count("web_search", usage["num_search_queries"], begins);
  }

  /** A call of one of the upstream's own tools was seen. */
  called(name: string): void {
    const tool = calledTool(name);
    if (tool !== null && this.#counted?.has(tool) !== true)
      this.#set(tool, (this.used.toolCalls[tool] ?? 0) + 1);
  }

  /** Something shows that the tool was called, and not how often. */
  calledAtLeastOnce(tool: string): void {
    if (this.used.toolCalls[tool] === undefined) this.#set(tool, 1);
  }

  #count(name: string, reported: unknown, begins: boolean): void {
    const count = readTokenCount(reported);
    const tool = calledTool(name);
    if (typeof count !== "number" || tool === null) return;
    // A later zero takes no stated figure away; calls that were seen and came to nothing it does.
    if (
      count === 0 &&
      (begins || (this.#counted?.has(tool) === true && (this.used.toolCalls[tool] ?? 0) > 0))
    )
      return;
    (this.#counted ??= new Set()).add(tool);
    this.#set(tool, count);
  }

  #set(tool: string, calls: number): void {
    if (this.used.toolCalls[tool] !== calls)
      this.used = { ...this.used, toolCalls: { ...this.used.toolCalls, [tool]: calls } };
  }

  #variant(field: VariantField, reported: unknown): void {
    if (typeof reported !== "string" || reported === "") return;
    const value = field === "serviceTier" ? tierName(reported) : reported;
    if (value !== this.used.variants[field])
      this.used = { ...this.used, variants: { ...this.used.variants, [field]: value } };
  }
}
