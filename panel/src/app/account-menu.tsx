/** Whose session this is, with the way to its settings and out. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { postApi } from "../api/call-api.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { useSession, useSetSession } from "./session.ts";
import { useShell } from "./use-shell.ts";

export function AccountMenu(): ReactNode {
  const shell = useShell();
  const { member, account } = useSession();
  const setSession = useSetSession();
  const navigate = useNavigate();
  const logOut = useMutation({
    mutationFn: () => postApi("/log-out"),
    onSettled() {
      setSession(null);
      void navigate({ to: "/log-in", search: {} });
    },
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
          <span className="only-wide account-name">{account.name}</span>
        </>
      }
      items={[
        { label: shell.sections.settings, icon: "gear", onSelect: () => void navigate({ to: "/settings/profile" }) },
        { label: shell.docs, icon: "external", onSelect: () => void open("/docs", "_blank", "noopener") },
        { label: shell.logOut, icon: "exit", onSelect: () => logOut.mutate() },
      ]}
    />
  );
}
