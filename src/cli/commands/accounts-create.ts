/** `tollgate accounts create`: opens an account. */
import { commandActor } from "../../business/operate/operator.ts";
import { alignColumns } from "../align-columns.ts";
import type { Command } from "../command.ts";
import { done, failed } from "../command.ts";
import { withDb } from "../with-db.ts";

export const accountsCreate: Command = {
  name: "accounts create",
  summary: "Open an account; with --email also its first member, with a one-time password",
  positionals: [],
  options: {
    name: { value: "N", help: "the account's name", required: true },
    email: {
      value: "E",
      help: "e-mail of the first member; prints a password to be changed at the first log-in",
    },
    operator: { value: null, help: "the member is an operator of the gateway; needs --email" },
  },
  async run({ options, deps }) {
    const request = {
      name: options.get("name") ?? "",
      email: options.get("email") ?? null,
      operator: options.has("operator"),
    };
    const { createAnyAccount } = await import("../../business/operate/create-any-account.ts");
    const outcome = await withDb(deps, (db) =>
      createAnyAccount(db, commandActor(deps.user), request),
    );
    if (outcome.kind === "email-taken")
      return failed(`another member has the e-mail ${request.email ?? ""}; nothing was created`);
    const { accountId, email, oneTimePassword } = outcome;
    if (email === null || oneTimePassword === null) return done({ accountId }, accountId);
    const text = alignColumns([
      ["account", accountId],
      ["member", `${email}${request.operator ? " (operator)" : ""}`],
      ["password", `${oneTimePassword}   shown only now; to be changed at the first log-in`],
    ]);
    return done({ accountId, email, oneTimePassword }, text.join("\n"));
  },
};
