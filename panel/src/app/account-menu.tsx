/** Whose session this is, with the way to its settings and out. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../api/api-error.ts";
import { postApi } from "../api/call-api.ts";
import { useLocale } from "../i18n/locale.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { useToasts } from "../ui/toast.tsx";
import { tellOtherTabs } from "./other-tabs.ts";
import { useSession } from "./session.ts";
import { THEMES, useTheme } from "./theme.ts";
import { useShell } from "./use-shell.ts";

export function AccountMenu(): ReactNode {
  const shell = useShell();
  const { language } = useLocale();
  const { member, account, seeing } = useSession();
  const toasts = useToasts();
  const navigate = useNavigate();
  const [theme, setTheme] = useTheme();
  const logOut = useMutation({
    mutationFn: () => postApi("/log-out"),
    onSuccess: leave,
    // One that is over already is as good as ended; of any other, its owner should know that it
    // goes on.
    onError: (error) =>
      error instanceof ApiError && error.status === 401 ? leave() : toasts.failed(error),
  });
  return (
    <Menu
      label={`${shell.account}: ${account.name}`}
      head={
        <>
          <strong>{account.name}</strong>
          <span className="quiet">{member.email}</span>
        </>
      }
      trigger={
        <>
          <Icon name="user" />
        </>
      }
      items={[
        ...(seeing === null
          ? [
              {
                label: shell.sections.settings,
                icon: "gear" as const,
                onSelect: () => void navigate({ to: "/settings/profile" }),
              },
            ]
          : []),
        {
          label: shell.docs,
          icon: "external",
          onSelect: () => void open(`/${language}/docs`, "_blank", "noopener"),
        },
        ...THEMES.map((one) => ({
          label: shell.themeItems[one],
          checked: one === theme,
          onSelect: () => setTheme(one),
        })),
        { label: shell.logOut, icon: "exit" as const, onSelect: () => logOut.mutate() },
      ]}
    />
  );
}

/** Loads the panel anew: nothing of the account stays in the browser's memory. */
function leave(): void {
  tellOtherTabs("left");
  location.assign("/panel/log-in");
}
