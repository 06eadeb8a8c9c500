/** What operators see and change of the alerts that they get. */
import { OPERATOR_ALERT_KINDS } from "../../contract/enums/operator-alert-kind.ts";
import type { OperatorAlert, OperatorAlertChange } from "../../contract/panel/operator-alerts.ts";
import { sayFieldRefusal } from "../../contract/sentences/say-refusal.ts";
import type { Db } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import { recordAction } from "../operate/audit.store.ts";
import { actorOf, type Operator } from "../operate/operator.ts";
import {
  changeOperatorRule,
  lockOperatorRule,
  operatorRules,
  type OperatorRule,
} from "./operator-rules.store.ts";

/** In the order of the kinds. */
export async function listOperatorAlerts(db: Db): Promise<OperatorAlert[]> {
  const rules = await operatorRules(db);
  return OPERATOR_ALERT_KINDS.flatMap((kind) => rules.filter((rule) => rule.kind === kind)).map(
    view,
  );
}

/**
 * Throws Fault("invalid_request") for a share where there is none. What changes nothing is not logged.
 */
export async function changeOperatorAlert(
  db: Db,
  operator: Operator,
  { kind, ...change }: OperatorAlertChange,
): Promise<OperatorAlert> {
  return db.transaction(async (tx) => {
    const rule = await lockOperatorRule(tx, kind);
    const before = settingsOf(rule);
    if (change.percent !== undefined && kind !== "margin_below")
      throw new Fault("invalid_request", sayFieldRefusal("percent", "percent_of_margin"));
    const after = { ...before, ...change };
    if (JSON.stringify(before) === JSON.stringify(after)) return view(rule);
    await changeOperatorRule(tx, { kind, ...after });
    await recordAction(tx, {
      ...actorOf(operator),
      action: "operator_alert.change",
      accountId: null,
      subject: kind,
      reason: null,
      before,
      after,
    });
    return view({ ...rule, ...after });
  });
}

function settingsOf({ enabled, percent, mail, telegram }: OperatorRule) {
  return { enabled, percent, mail, telegram };
}

function view(rule: OperatorRule): OperatorAlert {
  return {
    kind: rule.kind,
    ...settingsOf(rule),
    now: Object.keys(rule.notified).toSorted(),
    lastFiredAt: rule.firedAt?.toISOString() ?? null,
  };
}
