/** `tollgate webhooks secret`: shows or changes what an account's webhooks are signed with. */
import { commandActor } from "../../business/operate/operator.ts";
import type { Command } from "../command.ts";
import { done, failed, usage } from "../command.ts";
import { ACCOUNT_HINT, readAccountId } from "../read-values.ts";
import { withDb } from "../with-db.ts";

const UNREADABLE =
  "the secret was sealed by another SESSION_SECRET. Run this with the SESSION_SECRET or DATA_DIR of the server; if that was changed, --rotate makes a new one";

export const webhooksSecret: Command = {
  name: "webhooks secret",
  summary:
    "The secret that an account's webhooks are signed with (Standard Webhooks); made when it is first asked for",
  positionals: [{ name: "ACCOUNT", help: "the account's id" }],
  options: {
    rotate: { value: null, help: "make a new one; for 24 hours the one before signs too" },
    now: { value: null, help: "with --rotate: give the one before up at once, because it leaked" },
  },
  async run({ positionals, options, deps }) {
    const account = positionals["ACCOUNT"] ?? "";
    const accountId = readAccountId(account);
    if (accountId === null) return usage(`"${account}" ${ACCOUNT_HINT}`);
    if (options.has("now") && !options.has("rotate")) return usage("--now goes with --rotate only");
    const { rollAnyWebhookSecret } = await import("../../business/operate/roll-webhook-secret.ts");
    const { showWebhookSecret } = await import("../../serving/tasks/webhook-secret.ts");
    const seal = deps.openSeal();
    const secrets = await withDb(deps, (db) =>
      options.has("rotate")
        ? rollAnyWebhookSecret({ db, seal }, commandActor(deps.user), accountId, options.has("now"))
        : showWebhookSecret({ db, seal }, accountId),
    );
    if (secrets === null)
      return failed(`there is no account ${accountId}; \`tollgate accounts list\` shows them`);
    const { secret, madeAt, previousUntil } = secrets;
    if (secret === null) return failed(UNREADABLE);
    const json = {
      accountId,
      secret,
      madeAt: madeAt.toISOString(),
      previousUntil: previousUntil?.toISOString() ?? null,
    };
    const before =
      previousUntil === null
        ? ""
        : `\nThe one before signs too until ${previousUntil.toISOString()}.`;
    return done(json, `${secret}${before}`);
  },
};
