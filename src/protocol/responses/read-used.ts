/**
 * What a response, whole or in the events of a stream, says that it used of what makes it dearer.
 */
import type { UsedRaises } from "../../kernel/price-raises.ts";
import { isRecord } from "../json/is-record.ts";
import { UsedSoFar } from "../raises/read-used.ts";

type Fields = Record<string, unknown>;

const CALL = /_call$/;
/** Of a search the calls that open or look through a page are no searches. */
const FREE_ACTIONS: ReadonlySet<unknown> = new Set(["open_page", "find_in_page", "find"]);

/** A call of one of the vendor's tools, as its item is whole; in a local environment its caller runs it. */
function noteItem(item: unknown, used: UsedSoFar): void {
  if (!isRecord(item) || typeof item["type"] !== "string" || !CALL.test(item["type"])) return;
  const { action, environment } = item;
  if (isRecord(environment) && environment["type"] === "local") return;
  if (isRecord(action) && FREE_ACTIONS.has(action["type"])) return;
  const name = item["type"].replace(CALL, "");
  // The caller's own, whatever they are called.
  if (name !== "function" && name !== "custom_tool") used.called(name);
}

/** The `response` that some events hold; a count in it takes the place of what was seen. */
function noteResponse(response: Fields, used: UsedSoFar): void {
  used.variantsOf(response);
  used.usage(response["usage"]);
  const counts = response["tool_usage"];
  if (!isRecord(counts)) return;
  for (const [tool, counted] of Object.entries(counts)) {
    if (!isRecord(counted)) continue;
    const calls = counted["num_requests"];
    if (calls !== undefined) used.usage({ server_tool_use: { [`${tool}_requests`]: calls } });
  }
}

/**
 * What one event of a stream says; `ended` is what it says of the whole answer, where it ends it.
 * The events before that only repeat what was asked for.
 */
export function noteUsed(data: Fields, ended: Fields | null, used: UsedSoFar): void {
  if (ended !== null) noteResponse(ended, used);
  else if (data["type"] === "response.output_item.done") noteItem(data["item"], used);
}

export function usedOfResponse(data: Fields): UsedRaises {
  const used = new UsedSoFar();
  if (Array.isArray(data["output"])) for (const item of data["output"]) noteItem(item, used);
  noteResponse(data, used);
  return used.used;
}
