/** `tollgate accounts limits`: shows and changes an account's rate limits. */
import { commandActor } from "../../business/operate/operator.ts";
import type { Command } from "../command.ts";
import { done, failed, usage } from "../command.ts";
import { describeRateLimits, readRateLimitOptions } from "../read-rate-limit-options.ts";
import { ACCOUNT_HINT, readAccountId } from "../read-values.ts";
import { withDb } from "../with-db.ts";

/** What removes a limit. */
const NONE = ["none", "0"];

export const accountsLimits: Command = {
  name: "accounts limits",
  summary:
    "Show an account's rate limits, which hold for all its keys together, and change those that are given",
  positionals: [{ name: "ACCOUNT", help: "the account's id" }],
  options: {
    rpm: { value: "N", help: "requests per minute; none removes the limit" },
    tpm: {
      value: "N",
      help: "tokens per minute, input and output together; none removes the limit",
    },
    concurrency: { value: "N", help: "chat requests at the same time; none removes the limit" },
    tasks: { value: "N", help: "unfinished tasks; none removes the limit" },
  },
  async run({ positionals, options, deps }) {
    const account = positionals["ACCOUNT"] ?? "";
    const accountId = readAccountId(account);
    if (accountId === null) return usage(`"${account}" ${ACCOUNT_HINT}`);
    const changes = readRateLimitOptions(options, NONE);
    if (typeof changes === "string") return usage(changes);
    const { limitAnyAccount } = await import("../../business/operate/limit-account.ts");
    const outcome = await withDb(deps, (db) =>
      limitAnyAccount(db, commandActor(deps.user), accountId, { ...changes, reason: null }),
    );
    if (outcome.kind === "unknown-account")
      return failed(`there is no account ${accountId}; \`tollgate accounts list\` shows them`);
    return done(outcome.limits, describeRateLimits(outcome.limits) || "no limits");
  },
};
