/** Changes the password. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ChangePasswordBody } from "../../../../src/contract/panel/sessions.ts";
import { postApi } from "../../api/call-api.ts";
import { PasswordFields } from "../../app/password-fields.tsx";
import { useSetSession } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useSettingsTexts } from "./use-settings-texts.ts";

export function PasswordCard(): ReactNode {
  const t = useSettingsTexts();
  const toasts = useToasts();
  const client = useQueryClient();
  const setSession = useSetSession();
  const change = useMutation({
    mutationFn: (body: ChangePasswordBody) => postApi("/password", { body }),
    async onSuccess(session) {
      setSession(session);
      form.reset();
      toasts.done(t.passwordChanged);
      await client.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  const form = useForm({ current: "", next: "" }, change.error);
  return (
    <Card title={t.passwordTitle}>
      <p className="quiet">{t.passwordLead}</p>
      <Form onSubmit={() => change.mutate(form.values)} error={change.error}>
        <PasswordFields form={form} current={t.currentPassword} />
        <div className="form-actions">
          <Button type="submit" busy={change.isPending}>
            {t.changePassword}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
