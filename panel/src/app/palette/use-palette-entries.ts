/**
 * What the command palette leads to: the pages of the workspace, its keys and models, a request or
 * a task by its number, a top-up by its sum, for operators also accounts and the pages of the other
 * workspace.
 */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { allKeysQuery } from "../../api/account-keys.ts";
import { modelsQuery } from "../../api/account-models.ts";
import { useOperatorData } from "../../api/operator.ts";
import { useFormats, useTexts } from "../../i18n/locale.tsx";
import { paletteEn } from "../../i18n/texts/palette.en.ts";
import { paletteRu } from "../../i18n/texts/palette.ru.ts";
import type { PaletteTexts } from "../../i18n/texts/palette.ru.ts";
import { shellEn } from "../../i18n/texts/shell.en.ts";
import { shellRu } from "../../i18n/texts/shell.ru.ts";
import type { IconName } from "../../ui/icon-paths.ts";
import { readMoney } from "../../ui/read-money.ts";
import { REQUEST_ID, TASK_ID } from "../../ui/request-id.ts";
import { useDebounced } from "../../ui/use-debounced.ts";
import { sectionsFor } from "../sections.ts";
import type { Section, Workspace } from "../sections.ts";
import { useMay, useSeesAccount, useSession } from "../session.ts";
import { useShell } from "../use-shell.ts";
import { useWorkspace } from "../use-workspace.ts";
import type { EntryGroup, Findable } from "./rank-entries.ts";

export interface PaletteEntry extends Findable {
  readonly id: string;
  /** Beside the name: tells it from others, or what it does. */
  readonly note?: string;
  readonly icon: IconName;
  go(): void;
}

export interface PaletteFinds {
  readonly groups: readonly EntryGroup<PaletteEntry>[];
  /** More is on its way. */
  readonly busy: boolean;
}

/** Within the settings: the menu has only the first. */
const SETTINGS: readonly Section[] = [
  { name: "profile", to: "/settings/profile", icon: "user" },
  { name: "security", to: "/settings/security", icon: "key" },
];
/** The same, of what developers do not see. */
const SETTINGS_OF_ACCOUNT: readonly Section[] = [
  { name: "members", to: "/settings/members", icon: "people" },
  { name: "log", to: "/settings/log", icon: "eye" },
];
const TEXTS = { ru: paletteRu, en: paletteEn };
const REST_MS = 250;
const ACCOUNTS = 6;
/** As much as the API takes. */
const LONGEST = 200;

export function usePaletteTexts(): PaletteTexts {
  return useTexts(TEXTS);
}

export function usePaletteEntries(typed: string): PaletteFinds {
  const t = usePaletteTexts();
  const shell = useShell();
  const { member, account } = useSession();
  const workspace = useWorkspace();
  const other: Workspace = workspace === "account" ? "gateway" : "account";
  const names = { account: account.name, gateway: shell.gateway };
  const pagesOf = usePageEntries();
  const own = useOwnThings(workspace === "account" && typed !== "");
  const accounts = useAccounts(typed, member.operator);
  const numbered = useNumbered(typed, workspace);
  const topUps = useTopUps(typed, workspace);
  const groups: EntryGroup<PaletteEntry>[] = [
    { name: t.byNumber, items: numbered },
    { name: t.pages, items: pagesOf(workspace) },
    { name: t.keys, items: own.keys },
    { name: t.models, items: own.models },
    { name: t.accounts, items: accounts.found },
    { name: t.actions, items: topUps },
    ...(member.operator ? [{ name: names[other], items: pagesOf(other) }] : []),
  ];
  return { groups, busy: own.busy || accounts.busy };
}

/** Those that the member sees, by their names in both languages: a word of the other one is as good. */
function usePageEntries(): (workspace: Workspace) => readonly PaletteEntry[] {
  const shell = useShell();
  const { member, seeing } = useSession();
  const seesAccount = useSeesAccount();
  const settings = [
    ...(seeing === null ? SETTINGS : []),
    ...(seesAccount ? SETTINGS_OF_ACCOUNT : []),
  ];
  const navigate = useNavigate();
  return (workspace) =>
    [
      ...sectionsFor(workspace, member.role, seeing !== null).flatMap(({ sections }) => sections),
      ...(workspace === "account" ? settings : []),
    ].map(({ name, to, icon }) => ({
      id: to,
      label: shell.sections[name],
      also: [shellRu.sections[name], shellEn.sections[name]],
      icon,
      go: () => void navigate({ to }),
    }));
}

interface OwnThings {
  readonly keys: readonly PaletteEntry[];
  readonly models: readonly PaletteEntry[];
  readonly busy: boolean;
}

/** Read when something is looked for, and then filtered here: an account has not many of either. */
function useOwnThings(wanted: boolean): OwnThings {
  const navigate = useNavigate();
  const keys = useQuery({ ...allKeysQuery, enabled: wanted });
  const models = useQuery({ ...modelsQuery, enabled: wanted });
  if (!wanted) return { keys: [], models: [], busy: false };
  return {
    keys: (keys.data?.data ?? [])
      .filter(({ state }) => state !== "deleted")
      .map(({ hash, name, mask }) => ({
        id: hash,
        label: name,
        also: [mask],
        note: mask,
        icon: "key",
        go: () => void navigate({ to: "/keys/$hash", params: { hash } }),
      })),
    models: (models.data?.data ?? []).map(({ id, displayName }) => ({
      id,
      label: displayName,
      also: [id],
      note: id,
      icon: "tag",
      go: () => void navigate({ to: "/models/$", params: { _splat: id } }),
    })),
    busy: keys.isFetching || models.isFetching,
  };
}

/** Found by the server: by name, e-mail, number or key. */
function useAccounts(
  typed: string,
  operator: boolean,
): { readonly found: readonly PaletteEntry[]; readonly busy: boolean } {
  const navigate = useNavigate();
  const asked = typed.trim().slice(0, LONGEST);
  const sought = useDebounced(asked, REST_MS);
  const enabled = operator && asked !== "" && sought !== "";
  const { data, isFetching } = useOperatorData("/operator/accounts", {
    query: { search: sought, limit: ACCOUNTS },
    enabled,
  });
  const found = enabled ? (data?.data ?? []) : [];
  return {
    found: found.map(({ accountId, name, emails }) => ({
      id: accountId,
      label: name,
      also: emails,
      found: true,
      note: emails[0] ?? accountId,
      icon: "people",
      go: () => void navigate({ to: "/operator/accounts/$id", params: { id: accountId } }),
    })),
    busy: operator && (isFetching || asked !== sought),
  };
}

/** Whatever the workspace shows of it: a number that is not there is said by its page. */
function useNumbered(typed: string, workspace: Workspace): readonly PaletteEntry[] {
  const t = usePaletteTexts();
  const navigate = useNavigate();
  const id = typed.trim().toLowerCase();
  const own = workspace === "account";
  const entry = { id, label: id, also: [] };
  if (REQUEST_ID.test(id))
    return [
      {
        ...entry,
        note: t.request,
        icon: "list",
        go: () =>
          void (own
            ? navigate({ to: "/requests/$id", params: { id } })
            : navigate({ to: "/operator/requests/$id", params: { id } })),
      },
    ];
  if (!TASK_ID.test(id)) return [];
  return [
    {
      ...entry,
      note: t.task,
      icon: "film",
      go: () =>
        void (own
          ? navigate({ to: "/tasks/$id", params: { id } })
          : navigate({ to: "/operator/tasks/$id", params: { id } })),
    },
  ];
}

/** A sum is one to top up by, however it is written; paying is up to the form. */
function useTopUps(typed: string, workspace: Workspace): readonly PaletteEntry[] {
  const t = usePaletteTexts();
  const { money } = useFormats();
  const navigate = useNavigate();
  const mayPay = useMay("manager");
  const read = readMoney(typed, false);
  if (workspace !== "account" || !mayPay) return [];
  if (read.kind !== "decimal" || !/[1-9]/.test(read.decimal)) return [];
  const amount = read.decimal;
  return [
    {
      id: "top-up",
      label: t.topUpBy(money(amount)),
      also: [],
      // By what it is, and not by its words.
      found: true,
      icon: "wallet",
      go: () => void navigate({ to: "/billing", search: { amount } }),
    },
  ];
}
