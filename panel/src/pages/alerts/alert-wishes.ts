/** Between an alert and the fields of its form. */
import type { AlertKind } from "../../../../src/contract/enums/alert-terms.ts";
import type { Alert, AlertChange, NewAlert } from "../../../../src/contract/panel/alert.ts";

export interface AlertValues {
  readonly kind: AlertKind;
  readonly threshold: string;
  readonly percent: number | null;
  readonly factor: number | null;
  /** Empty: the whole account's, or a group's. */
  readonly keyHash: string;
  /** Empty: none's. */
  readonly groupId: string;
  readonly mailTo: Alert["mailTo"];
  readonly telegramTo: Alert["telegramTo"];
  readonly memberIds: readonly string[];
  readonly webhookUrl: string;
}

const USUAL_FACTOR = 5;
const USUAL_PERCENT = 80;
const USUAL_THRESHOLD = "500";

export const NEW_ALERT: AlertValues = {
  kind: "balance_below",
  threshold: USUAL_THRESHOLD,
  percent: USUAL_PERCENT,
  factor: USUAL_FACTOR,
  keyHash: "",
  groupId: "",
  mailTo: "owners",
  telegramTo: "owners",
  memberIds: [],
  webhookUrl: "",
};

export function valuesOf({
  kind,
  threshold,
  percent,
  factor,
  keyHash,
  groupId,
  mailTo,
  telegramTo,
  memberIds,
  webhookUrl,
}: Alert): AlertValues {
  return {
    kind,
    threshold: threshold ?? USUAL_THRESHOLD,
    percent: percent ?? USUAL_PERCENT,
    factor: factor ?? USUAL_FACTOR,
    keyHash: keyHash ?? "",
    groupId: groupId ?? "",
    mailTo,
    telegramTo,
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
  percent,
  factor,
  keyHash,
  groupId,
  mailTo,
  telegramTo,
  memberIds,
  webhookUrl,
}: AlertValues): AlertChange {
  const ofLimit = kind === "limit_used";
  const chosen = mailTo === "members" || telegramTo === "members";
  return {
    threshold: ofLimit ? null : threshold,
    percent: ofLimit ? percent : null,
    factor: kind === "spend_spike" ? factor : null,
    keyHash: kind === "balance_below" || keyHash === "" ? null : keyHash,
    groupId: ofLimit && groupId !== "" ? groupId : null,
    mailTo,
    telegramTo,
    memberIds: chosen ? [...memberIds] : [],
    webhookUrl: webhookUrl.trim() === "" ? null : webhookUrl.trim(),
  };
}
