/**
 * What members changed of their account, and when operators saw it as they do: `GET /panel/api/log?member&action&from&to&cursor&limit`,
 * newest first.
 */
import Type from "typebox";
import { ACCOUNT_ACTIONS } from "../enums/account-action.ts";
import { moment } from "../money.ts";
import { nullableString } from "../nullable.ts";
import { PAGE_QUERY, uuidQuery } from "./page-query.ts";

export const AccountLogQuery = Type.Object({
  ...PAGE_QUERY,
  member: uuidQuery,
  action: Type.Optional(Type.Enum([...ACCOUNT_ACTIONS])),
  from: Type.Optional(Type.String({ description: "ISO 8601: from this moment on." })),
  to: Type.Optional(Type.String({ description: "ISO 8601: before this moment." })),
});
export type AccountLogQuery = Type.Static<typeof AccountLogQuery>;

export const AccountLogEntry = Type.Object({
  auditId: Type.String(),
  at: moment("When."),
  memberId: Type.String({ description: "Who; it may have left since, or be an operator." }),
  actor: Type.String({ description: "Their e-mail at that time." }),
  action: Type.Enum([...ACCOUNT_ACTIONS]),
  subjectId: nullableString({
    description: "A key's hash, or the id of a group, a member, a passkey, an alert or a top-up.",
  }),
  subject: nullableString({ description: "What that was called at that time." }),
  before: Type.Unknown({ description: "What was changed, as it was; null: nothing to tell." }),
  after: Type.Unknown({ description: "The same as it is from then on." }),
});
export type AccountLogEntry = Type.Static<typeof AccountLogEntry>;

export const AccountLog = Type.Object({
  data: Type.Array(AccountLogEntry),
  nextCursor: nullableString({ description: "Null: the last page." }),
});
export type AccountLog = Type.Static<typeof AccountLog>;
