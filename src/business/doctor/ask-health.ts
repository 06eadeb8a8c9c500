/** Asks a gateway how it is, near or from outside, as the doctor. */
import { exchangeJson, type ExchangeResult } from "../../upstreams/tasks/exchange-json.ts";
import type { Outgoing, OutgoingRequest } from "../../net/outgoing.ts";

export type HealthAsk = Pick<
  OutgoingRequest,
  "origin" | "path" | "connectTimeoutMs" | "firstByteTimeoutMs" | "idleTimeoutMs"
>;

export function askHealth(
  outgoing: Outgoing,
  ask: HealthAsk,
  signal: AbortSignal,
): Promise<ExchangeResult> {
  const headers = { accept: "application/json", "user-agent": "tollgate doctor" };
  return exchangeJson(outgoing, { method: "GET", headers, body: null, ...ask }, signal);
}
