/**
 * Reads what was kept beside a reason for pages: its code and what its sentence names; null of what
 * was written before there were codes, whose words are shown as they are.
 */
import type { CodedWords } from "../../contract/panel/operator-requests.ts";
import { isRecord } from "../../protocol/json/is-record.ts";

export function codedWords(stored: unknown): CodedWords | null {
  if (!isRecord(stored)) return null;
  const { code, params } = stored;
  return typeof code === "string" && isNamed(params) ? { code, params } : null;
}

function isNamed(params: unknown): params is CodedWords["params"] {
  return (
    isRecord(params) &&
    Object.values(params).every((value) => typeof value === "string" || typeof value === "number")
  );
}
