/** What a completion, whole or in chunks, says that it used of what makes it dearer. */
import type { UsedRaises } from "../../kernel/price-raises.ts";
import { isRecord } from "../json/is-record.ts";
import { UsedSoFar } from "../raises/read-used.ts";

/**
 * What was found on the web stands beside the text as its sources; how many searches that took,
 * only the usage may tell.
 */
function citesTheWeb(part: unknown): boolean {
  if (!isRecord(part) || !Array.isArray(part["annotations"])) return false;
  return part["annotations"].some(
    (annotation) => isRecord(annotation) && annotation["type"] === "url_citation",
  );
}

/** What one chunk, or a whole completion, says. */
export function noteUsed(data: Record<string, unknown>, used: UsedSoFar): void {
  used.variantsOf(data);
  used.usage(data["usage"]);
  const { choices } = data;
  if (!Array.isArray(choices)) return;
  for (const choice of choices as readonly unknown[]) {
    if (isRecord(choice) && (citesTheWeb(choice["delta"]) || citesTheWeb(choice["message"])))
      used.calledAtLeastOnce("web_search");
  }
}

export function usedOfCompletion(data: Record<string, unknown>): UsedRaises {
  const used = new UsedSoFar();
  noteUsed(data, used);
  return used.used;
}
