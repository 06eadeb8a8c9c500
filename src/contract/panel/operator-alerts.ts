/** Alerts of the installation for its operators: which troubles are told, and how. */
import Type from "typebox";
import { OPERATOR_ALERT_KINDS } from "../enums/operator-alert-kind.ts";
import { nullableInteger, nullableString } from "../nullable.ts";

export const OperatorAlert = Type.Object({
  kind: Type.Enum([...OPERATOR_ALERT_KINDS]),
  enabled: Type.Boolean(),
  percent: nullableInteger({}, { description: "Of `margin_below`." }),
  mail: Type.Boolean({ description: "To every operator." }),
  telegram: Type.Boolean({ description: "To operators who linked a chat." }),
  now: Type.Array(Type.String(), {
    description:
      "What was told and is not over: a route, a day, an upstream; the kind itself for all else.",
  }),
  lastFiredAt: nullableString({ description: "When it was told last." }),
});
export type OperatorAlert = Type.Static<typeof OperatorAlert>;

/** `GET /panel/api/operator/alerts` */
export const OperatorAlertList = Type.Object({ data: Type.Array(OperatorAlert) });
export type OperatorAlertList = Type.Static<typeof OperatorAlertList>;

/** `POST /panel/api/operator/alerts` → the OperatorAlert. What is absent stays as it is. */
export const OperatorAlertChange = Type.Object(
  {
    kind: Type.Enum([...OPERATOR_ALERT_KINDS]),
    enabled: Type.Optional(Type.Boolean()),
    /** Of `margin_below` alone. */
    percent: Type.Optional(Type.Integer({ minimum: -100, maximum: 100 })),
    mail: Type.Optional(Type.Boolean()),
    telegram: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type OperatorAlertChange = Type.Static<typeof OperatorAlertChange>;
