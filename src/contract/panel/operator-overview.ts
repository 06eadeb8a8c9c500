/** The operator's first page: `GET operator/overview`. "Today" is the day of Moscow. */
import Type from "typebox";
import { moment, roubles } from "../money.ts";
import { nullableNumber, nullableString } from "../nullable.ts";

const Top = Type.Object({
  name: Type.String(),
  revenue: roubles("Today."),
  requests: Type.Integer(),
});

export const OperatorOverview = Type.Object({
  at: moment("As of when."),
  today: Type.Object({
    day: Type.String({ description: "YYYY-MM-DD" }),
    revenue: roubles("Charged today, requests and tasks."),
    requests: Type.Integer({ description: "Requests and tasks that ended today." }),
    failed: Type.Integer({ description: "Of them, those that failed." }),
    errorRate: nullableNumber({}, { description: "0 to 1; null without requests." }),
    activeAccounts: Type.Integer({ description: "That were charged." }),
  }),
  held: roubles("Of all accounts, at this moment."),
  accounts: Type.Object({ total: Type.Integer(), blocked: Type.Integer() }),
  tasks: Type.Object({ living: Type.Integer(), doubtful: Type.Integer() }),
  upstreams: Type.Object({ open: Type.Array(Type.String()), resting: Type.Array(Type.String()) }),
  verifier: Type.Object({
    state: Type.Enum(["never", "ok", "mismatch"]),
    finishedAt: nullableString({ description: "" }),
  }),
  parkedReceipts: Type.Integer(),
  topAccounts: Type.Array(Type.Object({ accountId: Type.String(), ...Top.properties })),
  topModels: Type.Array(Top),
});
export type OperatorOverview = Type.Static<typeof OperatorOverview>;
