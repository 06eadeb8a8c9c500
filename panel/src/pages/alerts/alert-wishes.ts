/** Between an alert and the fields of its form. */
import type { AlertKind } from "../../../../src/contract/enums/alert-terms.ts";
import type { Alert, AlertChange, NewAlert } from "../../../../src/contract/panel/alert.ts";

export interface AlertValues {
  readonly kind: AlertKind;
  readonly threshold: string;
  readonly factor: number | null;
  /** Empty: the whole account's. */
  readonly keyHash: string;
  readonly mailTo: Alert["mailTo"];
  readonly memberIds: readonly string[];
  readonly webhookUrl: string;
}

const USUAL_FACTOR = 5;

export const NEW_ALERT: AlertValues = {
  kind: "balance_below",
  threshold: "500",
  factor: USUAL_FACTOR,
  keyHash: "",
  mailTo: "owners",
  memberIds: [],
  webhookUrl: "",
};

export function valuesOf({
  kind,
  threshold,
  factor,
  keyHash,
  mailTo,
  memberIds,
  webhookUrl,
}: Alert): AlertValues {
  return {
    kind,
    threshold,
    factor: factor ?? USUAL_FACTOR,
    keyHash: keyHash ?? "",
    mailTo,
    memberIds,
    webhookUrl: webhookUrl ?? "",
  };
}

export function newAlertOf(values: AlertValues): NewAlert {
  return { kind: values.kind, ...changeOf(values) };
}

export function changeOf({
  kind,
  threshold,
  factor,
  keyHash,
  mailTo,
  memberIds,
  webhookUrl,
}: AlertValues): AlertChange & { threshold: string } {
  return {
    threshold,
    factor: kind === "spend_spike" ? factor : null,
    keyHash: kind === "balance_below" || keyHash === "" ? null : keyHash,
    mailTo,
    memberIds: mailTo === "members" ? [...memberIds] : [],
    webhookUrl: webhookUrl.trim() === "" ? null : webhookUrl.trim(),
  };
}
