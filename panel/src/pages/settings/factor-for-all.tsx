/** Whether every member of the account needs a second factor: switched by owners who have one. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { postApi } from "../../api/call-api.ts";
import { useSession, useSetSession } from "../../app/session.ts";
import { Card } from "../../ui/card.tsx";
import { Switch } from "../../ui/switch.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useSettingsTexts } from "./use-settings-texts.ts";

export function FactorForAll(): ReactNode {
  const t = useSettingsTexts();
  const toasts = useToasts();
  const session = useSession();
  const setSession = useSetSession();
  const { totpRequired } = session.account;
  const { mutate, isPending } = useMutation({
    mutationFn: (required: boolean) => postApi("/second-factor", { body: { required } }),
    onSuccess(_, required) {
      setSession({ ...session, account: { ...session.account, totpRequired: required } });
      toasts.done(required ? t.factorOn : t.factorOff);
    },
    onError: toasts.failed,
  });
  const { totp, passkeys } = session.member;
  const has = totp || passkeys > 0;
  return (
    <Card title={t.factorForAll}>
      <p className="quiet">{has ? t.factorForAllText : t.factorForAllOwn}</p>
      <Switch
        label={t.factorWanted}
        checked={totpRequired}
        disabled={isPending || (!has && !totpRequired)}
        onChange={(required) => mutate(required)}
      />
    </Card>
  );
}
