/** Why an answer of the Responses protocol ended, in its words. */
import { isRecord } from "../json/is-record.ts";

/** The reason of an incomplete response, else its status. */
export function finishWord(type: string, response: Record<string, unknown>): string {
  const { status, incomplete_details: details } = response;
  const incomplete = type === "response.incomplete" || status === "incomplete";
  if (!incomplete) return typeof status === "string" && status !== "" ? status : "completed";
  const reason = isRecord(details) ? details["reason"] : null;
  return typeof reason === "string" && reason !== "" ? reason : "incomplete";
}
