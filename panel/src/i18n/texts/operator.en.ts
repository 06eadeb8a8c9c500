/** Words that several pages of operators share, in English. */
import type { OperatorTexts } from "./operator.ru.ts";

export const operatorEn: OperatorTexts = {
  account: "Account",
  keyNeedsAccount: "Pick an account, or paste the whole hash of a key.",
  key: "Key",
  model: "Model",
  upstream: "Upstream",
  state: "State",
  reason: "Reason",
  reasonHint: "Kept in the audit log.",
  requests: "Requests",
  charged: "Charged",
  cost: "Cost",
  modelAndUpstream: "Model and upstream",
  chargedAndCost: "Charged and cost, ₽",
  nobody: "served by nobody",
  onServer: "on the server",
  actorsOnServer: {
    cli: (user) => `a command on the server, user ${user}`,
    start: (user) =>
      user === "" ? "the server at a start" : `the server at a start, user ${user}`,
  },
  unknown: "unknown",
  startedAt: "Started",
  startedIn: (zone) => `Started, ${zone}`,
  duration: "Duration",
  tokens: "Tokens, in / out",
  failedAttempts: (count) => `failed attempts: ${count}`,
  requestsCaption: "Requests",
  noRequests: "No requests",
  noRequestsText: "Requests appear here as soon as they end.",
  nothingFoundText: "Loosen the filters or reset them.",
  states: {
    completed: "done",
    interrupted: "broken off by the upstream",
    stopped_by_balance: "stopped: out of money",
    client_gone: "client went away",
    failed: "failed",
    running: "running",
  },
};
