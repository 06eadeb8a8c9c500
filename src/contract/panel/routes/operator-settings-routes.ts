/** Routes of the panel with which operators give the installation a name, looks and rules. */
import { OperatorAlert, OperatorAlertChange, OperatorAlertList } from "../operator-alerts.ts";
import {
  BrandImage,
  BrandImageBody,
  InstallationSettings,
  SettingsBody,
} from "../operator-settings.ts";
import { SignUpCodeBody, SignUpCodeList, SignUpCodeMade } from "../sign-up-codes.ts";
import { Done, type PanelRouteTable } from "./panel-route.ts";

export const OPERATOR_SETTINGS_ROUTES = {
  "GET /operator/settings": {
    summary: "What is decided about the installation",
    answer: InstallationSettings,
  },
  "POST /operator/settings": {
    summary: "Decide anew, at once for every process: 409 when another version came between",
    body: SettingsBody,
    answer: InstallationSettings,
  },
  "POST /operator/settings/images": {
    summary: "Keep a picture that the settings may name",
    body: BrandImageBody,
    answer: BrandImage,
    status: 201,
  },
  "GET /operator/alerts": {
    summary: "Which troubles of the installation operators are told of",
    answer: OperatorAlertList,
  },
  "POST /operator/alerts": {
    summary: "Change how one kind of trouble is told",
    body: OperatorAlertChange,
    answer: OperatorAlert,
  },
  "GET /operator/sign-up-codes": {
    summary: "Codes with which strangers may sign up",
    answer: SignUpCodeList,
  },
  "POST /operator/sign-up-codes": {
    summary: "Make one; it is shown this once",
    body: SignUpCodeBody,
    answer: SignUpCodeMade,
    status: 201,
  },
  "POST /operator/sign-up-codes/{id}/withdraw": {
    summary: "Take one back: nobody comes in with it any more",
    uuids: ["id"],
    body: Done,
    answer: Done,
  },
} as const satisfies PanelRouteTable;
