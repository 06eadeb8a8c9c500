/**
 * Over every page of an account that an operator has blocked: what that means, and why it was done.
 */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { readApi } from "../api/call-api.ts";
import { useInstallation } from "../api/installation.ts";
import { Icon } from "../ui/icon.tsx";
import { supportHref } from "../ui/support-href.ts";
import { useShell } from "./use-shell.ts";

export function BlockedBanner(): ReactNode {
  const shell = useShell();
  const { data } = useQuery({
    queryKey: ["account", "block"],
    queryFn: ({ signal }) => readApi("/account/block", { signal }),
  });
  const { support } = useInstallation();
  const reason = data?.blocked?.reason;
  return (
    <p className="banner banner-danger" role="status">
      <Icon name="warning" /> {shell.blocked}{" "}
      {reason === undefined ? null : shell.blockReason(reason)}{" "}
      {support === null ? null : <a href={supportHref(support)}>{support}</a>}
    </p>
  );
}
