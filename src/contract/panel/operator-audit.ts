/** Everything an operator did: `GET operator/audit?account&member&action&from&to&cursor&limit`, newest first. */
import Type from "typebox";
import { moment } from "../money.ts";
import { nullableString } from "../nullable.ts";

export const AUDIT_ACTIONS = [
  "account.credit",
  "account.adjust",
  "account.block",
  "account.unblock",
  "account.limits",
  "task.retry",
  "task.fail",
  "catalogue.apply",
  "ledger.verify",
] as const;

const AuditEntry = Type.Object({
  auditId: Type.String(),
  at: moment("When."),
  memberId: nullableString({ description: "Who; null: by a command on the server." }),
  actor: Type.String({ description: "The member's e-mail at that time." }),
  action: Type.Enum([...AUDIT_ACTIONS]),
  accountId: nullableString({ description: "Whose account it was about." }),
  subject: nullableString({ description: "What: a task, a catalogue version, an entry." }),
  reason: nullableString({ description: "" }),
  before: Type.Unknown(),
  after: Type.Unknown(),
});

export const AuditList = Type.Object({ data: Type.Array(AuditEntry), nextCursor: nullableString({ description: "" }) });
export type AuditList = Type.Static<typeof AuditList>;
