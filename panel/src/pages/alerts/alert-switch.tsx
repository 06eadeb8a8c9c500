/** Switches a rule on or off: shown as done once it is. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Alert } from "../../../../src/contract/panel/alert.ts";
import { useAlertsChanged } from "../../api/alerts.ts";
import { postApi } from "../../api/call-api.ts";
import { useMay } from "../../app/session.ts";
import { Switch } from "../../ui/switch.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useAlertsTexts } from "./use-alerts-texts.ts";

export function AlertSwitch({
  alert,
  sentence,
}: {
  readonly alert: Alert;
  readonly sentence: string;
}): ReactNode {
  const t = useAlertsTexts();
  const toasts = useToasts();
  const changed = useAlertsChanged();
  const mayChange = useMay("manager");
  const change = useMutation({
    mutationFn: (enabled: boolean) =>
      postApi("/alerts/{id}", { params: { id: alert.alertId }, body: { enabled } }),
    onSuccess: ({ enabled }) => toasts.done(enabled ? t.switchedOn : t.switchedOff),
    onError: toasts.failed,
    onSettled: changed,
  });
  return (
    <Switch
      label={<span className="unseen">{t.switchOf(sentence)}</span>}
      checked={alert.enabled}
      disabled={!mayChange || change.isPending}
      onChange={(enabled) => change.mutate(enabled)}
    />
  );
}
