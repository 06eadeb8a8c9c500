/** The sections that the navigation shows, in its order. */
import type { ShellTexts } from "../i18n/texts/shell.ru.ts";
import type { IconName } from "../ui/icon.tsx";

export interface Section {
  readonly name: keyof ShellTexts["sections"];
  readonly to: string;
  readonly icon: IconName;
}

export const ACCOUNT_SECTIONS: readonly Section[] = [
  { name: "overview", to: "/", icon: "home" },
  { name: "keys", to: "/keys", icon: "key" },
  { name: "requests", to: "/requests", icon: "list" },
  { name: "tasks", to: "/tasks", icon: "film" },
  { name: "batches", to: "/batches", icon: "file" },
  { name: "files", to: "/files", icon: "folder" },
  { name: "models", to: "/models", icon: "tag" },
  { name: "playground", to: "/playground", icon: "play" },
  { name: "billing", to: "/billing", icon: "wallet" },
  { name: "alerts", to: "/alerts", icon: "bell" },
  { name: "settings", to: "/settings", icon: "gear" },
];

export const OPERATOR_SECTIONS: readonly Section[] = [
  { name: "operator-overview", to: "/operator", icon: "home" },
  { name: "operator-accounts", to: "/operator/accounts", icon: "people" },
  { name: "operator-requests", to: "/operator/requests", icon: "list" },
  { name: "operator-tasks", to: "/operator/tasks", icon: "film" },
  { name: "operator-catalogue", to: "/operator/catalogue", icon: "tag" },
  { name: "operator-upstreams", to: "/operator/upstreams", icon: "pulse" },
  { name: "operator-margin", to: "/operator/margin", icon: "chart" },
  { name: "operator-ledger", to: "/operator/ledger", icon: "scales" },
  { name: "operator-audit", to: "/operator/audit", icon: "eye" },
];
