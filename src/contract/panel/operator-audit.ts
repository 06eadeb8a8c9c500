/**
 * Everything an operator did: `GET operator/audit?account&member&action&from&to&cursor&limit`,
 * newest first.
 */
import Type from "typebox";
import { moment } from "../money.ts";
import { nullableString } from "../nullable.ts";

export const AUDIT_ACTIONS = [
  "account.create",
  "account.credit",
  "account.adjust",
  "account.block",
  "account.unblock",
  "account.limits",
  "account.notes",
  "account.see_as",
  "account.webhook_secret",
  "payment.refund",
  "key.create",
  "key.delete",
  "task.retry",
  "task.fail",
  "catalogue.apply",
  "route.take_out",
  "route.put_back",
  "ledger.verify",
  "ledger.archive",
  "database.distribute",
  "passkey.add",
  "passkey.remove",
  "passkey.log_in",
  "passkey.refused",
  "settings.change",
  "operator_alert.change",
  "sign_up_code.create",
  "sign_up_code.withdraw",
] as const;

const AuditEntry = Type.Object({
  auditId: Type.String(),
  at: moment("When."),
  memberId: nullableString({ description: "Who; null: on the server, by a command or a start." }),
  actor: Type.String({
    description:
      "The member's e-mail at that time; `cli:` or `start:` and the name of the system's user where there is no member.",
  }),
  action: Type.Enum([...AUDIT_ACTIONS]),
  accountId: nullableString({ description: "Whose account it was about." }),
  accountName: nullableString({ description: "What it is called now." }),
  subject: nullableString({ description: "What: a task, a catalogue version, an entry." }),
  reason: nullableString({ description: "" }),
  before: Type.Unknown(),
  after: Type.Unknown(),
});

export const AuditList = Type.Object({
  data: Type.Array(AuditEntry),
  nextCursor: nullableString({ description: "" }),
});
export type AuditList = Type.Static<typeof AuditList>;
