/** `tollgate keys create`: makes an API key and shows its secret once. */
import type { NewKeyRequest } from "../../business/keys/create-key.ts";
import { commandActor } from "../../business/operate/operator.ts";
import { BUDGET_PERIODS } from "../../contract/enums/budget-period.ts";
import { systemClock } from "../../kernel/clock.ts";
import { parseMoment } from "../../kernel/parse-moment.ts";
import { NO_RATE_LIMITS } from "../../kernel/rate-limits.ts";
import { alignColumns } from "../align-columns.ts";
import type { Command } from "../command.ts";
import { done, failed, usage } from "../command.ts";
import { ACCOUNT_HINT, AMOUNT_HINT, readAccountId, readAmount, readList } from "../read-values.ts";
import { readRateLimitOptions } from "../read-rate-limit-options.ts";
import { withDb } from "../with-db.ts";

export const keysCreate: Command = {
  name: "keys create",
  summary: "Make an API key; its secret is printed once",
  positionals: [{ name: "ACCOUNT", help: "the account that pays" }],
  options: {
    name: { value: "N", help: "what the key is for", required: true },
    limit: { value: "RUB", help: "the most that may be spent with it in each period" },
    period: {
      value: BUDGET_PERIODS.join("/"),
      help: "of the limit; total by default. Days and months begin at midnight in Moscow",
    },
    expires: { value: "ISO", help: "when it ends: 2027-01-31 or 2027-01-31T12:00:00Z" },
    models: { value: "a,b", help: "the only models that it may call" },
    ips: { value: "CIDR,…", help: "the only addresses that it may be used from" },
    rpm: { value: "N", help: "requests per minute" },
    tpm: { value: "N", help: "tokens per minute, input and output together" },
    concurrency: { value: "N", help: "chat requests at the same time" },
    tasks: { value: "N", help: "unfinished tasks" },
  },
  async run({ positionals, options, deps }) {
    const account = positionals["ACCOUNT"] ?? "";
    const accountId = readAccountId(account);
    if (accountId === null) return usage(`"${account}" ${ACCOUNT_HINT}`);
    const request = readRequest(accountId, options);
    if (typeof request === "string") return usage(request);
    const { createAnyKey } = await import("../../business/operate/act-on-key.ts");
    const outcome = await withDb(deps, (db) =>
      createAnyKey(db, systemClock, commandActor(deps.user), request),
    );
    if (outcome.kind !== "created")
      return failed(`there is no account ${accountId}; \`tollgate accounts list\` shows them`);
    const { secret, key } = outcome;
    const text = alignColumns([
      ["secret", `${secret}   shown only now: keep it where only your server reads it`],
      ["mask", key.mask],
      ["hash", `${key.hash}   names the key, for \`tollgate keys delete\``],
    ]);
    return done({ secret, mask: key.mask, hash: key.hash }, text.join("\n"));
  },
};

/** The request, or what is wrong with the options. */
function readRequest(
  accountId: string,
  options: ReadonlyMap<string, string>,
): NewKeyRequest | string {
  const limitText = options.get("limit");
  const amountNano = limitText === undefined ? null : readAmount(limitText);
  if (limitText !== undefined && amountNano === null)
    return `--limit "${limitText}" is not an amount: ${AMOUNT_HINT}`;
  const periodText = options.get("period");
  const period = BUDGET_PERIODS.find((known) => known === (periodText ?? "total"));
  if (period === undefined)
    return `--period "${periodText ?? ""}" is not one of ${BUDGET_PERIODS.join(", ")}`;
  if (periodText !== undefined && amountNano === null)
    return "--period belongs to a --limit: add one";
  const expiresText = options.get("expires");
  const expiresAt = expiresText === undefined ? null : parseMoment(expiresText);
  if (expiresText !== undefined && expiresAt === null)
    return `--expires "${expiresText}" is not a moment: write 2027-01-31 or 2027-01-31T12:00:00Z`;
  const rateLimits = readRateLimitOptions(options);
  if (typeof rateLimits === "string") return rateLimits;
  return {
    accountId,
    name: options.get("name") ?? "",
    limit: amountNano === null ? null : { amountNano, period },
    expiresAt,
    models: readList(options.get("models")),
    ips: readList(options.get("ips")),
    ...NO_RATE_LIMITS,
    ...rateLimits,
  };
}
