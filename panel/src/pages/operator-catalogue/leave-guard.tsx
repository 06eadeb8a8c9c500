/** Asks before an edit that was not applied is lost. */
import { useBlocker } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

export function LeaveGuard({ active }: { readonly active: boolean }): ReactNode {
  const t = useCatalogueTexts();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => active && current.pathname !== next.pathname,
    enableBeforeUnload: active,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      title={t.leaveTitle}
      description={t.leaveText}
      action={t.leave}
      open={blocker.status === "blocked"}
      onOpenChange={(open) => {
        if (!open) blocker.reset?.();
      }}
      onConfirm={() => blocker.proceed?.()}
    />
  );
}
