/** The sections that the navigation shows: those of an account, and those of the whole gateway. */
import type { MemberRole } from "../../../src/contract/enums/member-role.ts";
import type { ShellTexts } from "../i18n/texts/shell.ru.ts";
import type { IconName } from "../ui/icon-paths.ts";

export interface Section {
  readonly name: keyof ShellTexts["sections"];
  readonly to: string;
  readonly icon: IconName;
}

export interface SectionGroup {
  /** Null: the first, which needs none. */
  readonly name: keyof ShellTexts["groups"] | null;
  readonly sections: readonly Section[];
}

export type Workspace = "account" | "gateway";

export const SECTIONS: Readonly<Record<Workspace, readonly SectionGroup[]>> = {
  account: [
    {
      name: null,
      sections: [
        { name: "overview", to: "/", icon: "home" },
        { name: "playground", to: "/playground", icon: "chat" },
        { name: "requests", to: "/requests", icon: "list" },
        { name: "tasks", to: "/tasks", icon: "film" },
        { name: "batches", to: "/batches", icon: "file" },
        { name: "files", to: "/files", icon: "folder" },
        { name: "models", to: "/models", icon: "tag" },
      ],
    },
    {
      name: "money",
      sections: [
        { name: "keys", to: "/keys", icon: "key" },
        { name: "groups", to: "/groups", icon: "layers" },
        { name: "billing", to: "/billing", icon: "wallet" },
      ],
    },
    {
      name: "account",
      sections: [
        { name: "alerts", to: "/alerts", icon: "bell" },
        { name: "settings", to: "/settings", icon: "gear" },
      ],
    },
  ],
  gateway: [
    {
      name: null,
      sections: [
        { name: "operator-overview", to: "/operator", icon: "sun" },
        { name: "operator-accounts", to: "/operator/accounts", icon: "people" },
        { name: "operator-payments", to: "/operator/payments", icon: "wallet" },
        { name: "operator-requests", to: "/operator/requests", icon: "list" },
        { name: "operator-tasks", to: "/operator/tasks", icon: "film" },
      ],
    },
    {
      name: "goods",
      sections: [
        { name: "operator-catalogue", to: "/operator/catalogue", icon: "tag" },
        { name: "operator-upstreams", to: "/operator/upstreams", icon: "pulse" },
        { name: "operator-margin", to: "/operator/margin", icon: "chart" },
      ],
    },
    {
      name: "order",
      sections: [
        { name: "operator-ledger", to: "/operator/ledger", icon: "scales" },
        { name: "operator-audit", to: "/operator/audit", icon: "eye" },
        { name: "operator-settings", to: "/operator/settings", icon: "gear" },
      ],
    },
  ],
};

/** Of an account's, those that a developer finds something of its own in. */
const OF_DEVELOPERS: readonly Section["name"][] = [
  "playground",
  "requests",
  "models",
  "keys",
  "settings",
];

/** Those that a member sees; `seen`: that an operator sees who sees the account as its members do. */
export function sectionsFor(
  workspace: Workspace,
  role: MemberRole,
  seen = false,
): readonly SectionGroup[] {
  if (workspace === "gateway") return SECTIONS.gateway;
  const isShown = ({ name }: Section): boolean =>
    (role !== "developer" || OF_DEVELOPERS.includes(name)) && !(seen && name === "playground");
  return SECTIONS.account
    .map(({ name, sections }) => ({ name, sections: sections.filter(isShown) }))
    .filter(({ sections }) => sections.length > 0);
}

/** At the bottom edge of a phone, beside the button for the others. */
export const TABS: Readonly<Record<Workspace, readonly Section["name"][]>> = {
  account: ["overview", "playground", "keys", "billing"],
  gateway: ["operator-overview", "operator-accounts", "operator-requests", "operator-upstreams"],
};

export function workspaceOf(pathname: string): Workspace {
  return pathname === "/operator" || pathname.startsWith("/operator/") ? "gateway" : "account";
}

/** The one that an address belongs to: the longest that it begins with. */
export function sectionOf(pathname: string, workspace: Workspace): Section | null {
  const within = SECTIONS[workspace]
    .flatMap(({ sections }) => sections)
    .filter(({ to }) => pathname === to || pathname.startsWith(to === "/" ? "//" : `${to}/`));
  return within.toSorted((a, b) => b.to.length - a.to.length)[0] ?? null;
}
