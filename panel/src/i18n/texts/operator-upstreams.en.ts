/** Upstreams for operators, in English: what their colours say, errors, and taking a route out. */
import { plural } from "../plural.ts";
import type { OperatorUpstreamsTexts } from "./operator-upstreams.ru.ts";

export const operatorUpstreamsEn: OperatorUpstreamsTexts = {
  judged: { good: "working", warn: "fails at times", bad: "fails often" },
  out: "out",
  outUntil: (until) => `until ${until}`,
  outBy: (who, reason) => `${who}: “${reason}”`,
  outWithUpstream: "out with its upstream",
  latency: "Answer, p50 / p95",
  toFirst: "token",
  noCalls: "no calls",
  byTime: "By time",
  part: (at, calls, failed) => `${at}: ${calls} calls, ${failed} failed`,
  strip: (name, calls, failed) => `${name} in the period: ${calls} calls, ${failed} failed`,
  showErrors: (count) => `errors: ${count}`,
  errorsOf: (name) => `Errors: ${name}`,
  errorsLead: "The last calls that failed, newest first.",
  errorsCaption: "Last errors",
  summary: "What happened",
  noErrors: "No request failed in this period",
  noErrorsText: "What tasks failed with stands on their own pages.",
  at: (zone) => `When, ${zone}`,
  what: "What the upstream answered",
  account: "Account",
  instead: "Who answered the customer",
  nobody: "nobody",
  balance: "Balance",
  balanceLow: (below) => `below ${below}`,
  balanceAt: (at) => `at ${at}`,
  balanceLasts: (days) =>
    days === 0
      ? "does not last a day"
      : days >= 365
        ? "lasts a year or more"
        : `lasts about ${days} ${plural("en", days, { one: "day", other: "days" })}`,
  balanceUnknown: "not known yet",
  balanceFailures: {
    no_credential: "its credential is not set",
    no_answer: "the provider does not answer",
    refused: "the provider refused",
    not_understood: "the answer is no balance",
    unlimited: "no limit",
  },
  credits: "credits",
  takeOut: "Take out",
  putBack: "Put back",
  takeOutTitle: (name) => `Take ${name} out?`,
  takeOutText:
    "No process will call it, from a second or two from now on. What is running comes to its end.",
  forHowLong: "For how long",
  times: {
    "15": "15 minutes",
    "60": "1 hour",
    "240": "4 hours",
    "1440": "a day",
    "10080": "a week",
    "43200": "30 days",
  },
  thenBack: "Then it comes back by itself.",
  reason: "Reason",
  reasonInLog: "Kept in the audit log.",
  without: (count, names) =>
    `Without a route ${plural("en", count, { one: "is the model", other: "are the models" })}: ${names}. Customers are refused and asked to come again, tasks wait.`,
  others: "All of its models have other routes.",
  tookOut: (name) => `${name} is out`,
  putBackDone: (name) => `${name} is back`,
  showQuiet: (count) =>
    `Show ${count} more ${plural("en", count, { one: "route", other: "routes" })} without calls`,
  hideQuiet: "Hide routes without calls",
};
