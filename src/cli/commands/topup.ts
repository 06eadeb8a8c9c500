/** `tollgate topup`: credits roubles to an account. */
import { commandActor } from "../../business/operate/operator.ts";
import { CREDIT_CLASSES } from "../../contract/enums/credit-class.ts";
import { formatRoubles } from "../../kernel/money.ts";
import type { Command } from "../command.ts";
import { done, failed, usage } from "../command.ts";
import { ACCOUNT_HINT, AMOUNT_HINT, readAccountId, readAmount } from "../read-values.ts";
import { withDb } from "../with-db.ts";

export const topup: Command = {
  name: "topup",
  summary: "Credit roubles to an account",
  positionals: [
    { name: "ACCOUNT", help: "the account's id" },
    { name: "AMOUNT", help: "roubles, a decimal: 500 or 12.34" },
  ],
  options: {
    ref: { value: "R", help: "names the payment: the same one again credits nothing" },
    class: {
      value: "paid/trial/bonus",
      help: "what is given is used up first, and is not paid back; paid where it is absent",
    },
  },
  async run({ positionals, options, deps }) {
    const account = positionals["ACCOUNT"] ?? "";
    const accountId = readAccountId(account);
    const amountNano = readAmount(positionals["AMOUNT"] ?? "");
    if (accountId === null) return usage(`"${account}" ${ACCOUNT_HINT}`);
    if (amountNano === null)
      return usage(`"${positionals["AMOUNT"] ?? ""}" is not an amount: ${AMOUNT_HINT}`);
    const wished = options.get("class") ?? "paid";
    const creditClass = CREDIT_CLASSES.find((known) => known === wished);
    if (creditClass === undefined)
      return usage(`--class "${wished}" is none of: ${CREDIT_CLASSES.join(", ")}`);
    const request = {
      accountId,
      amountNano,
      reference: options.get("ref") ?? null,
      creditClass,
    };
    const { bookTopUp } = await import("../../business/operate/move-money.ts");
    const outcome = await withDb(deps, (db) => bookTopUp(db, commandActor(deps.user), request));
    switch (outcome.kind) {
      case "unknown-account":
        return failed(`there is no account ${accountId}; \`tollgate accounts list\` shows them`);
      case "reference-taken":
        return failed(
          `the reference "${options.get("ref") ?? ""}" belongs to another top-up, of ${formatRoubles(outcome.amountNano)} (${outcome.creditClass}) to ${outcome.accountId}; nothing was credited`,
        );
      case "credited":
      case "duplicate": {
        const { reference, balance } = outcome;
        const credited = outcome.kind === "credited";
        const amount = formatRoubles(amountNano);
        const now = formatRoubles(balance.balanceNano);
        const text = credited
          ? `credited ${amount} RUB${creditClass === "paid" ? "" : ` as ${creditClass}`} (${reference}); balance ${now}, available ${formatRoubles(balance.availableNano)}`
          : `"${reference}" was credited before; nothing changed, balance ${now}`;
        return done(
          {
            accountId,
            credited,
            amount,
            class: creditClass,
            reference,
            entryId: outcome.entryId,
            balance: now,
            available: formatRoubles(balance.availableNano),
          },
          text,
        );
      }
    }
  },
};
