/** Invites a new member into the account by mail. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { MEMBER_ROLES } from "../../../../src/contract/enums/member-role.ts";
import type { InviteBody } from "../../../../src/contract/panel/members.ts";
import { postApi } from "../../api/call-api.ts";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useSettingsTexts } from "./use-settings-texts.ts";

interface InviteDialogProps {
  readonly open: boolean;
  onOpenChange(open: boolean): void;
}

export function InviteDialog({ open, onOpenChange }: InviteDialogProps): ReactNode {
  const t = useSettingsTexts();
  const words = useWords();
  const toasts = useToasts();
  const client = useQueryClient();
  const invite = useMutation({
    mutationFn: (body: InviteBody) => postApi("/members/invite", { body }),
    async onSuccess() {
      onOpenChange(false);
      form.reset();
      toasts.done(t.invited);
      await client.invalidateQueries({ queryKey: ["members"] });
    },
  });
  const form = useForm<InviteBody>({ email: "", role: "viewer" }, invite.error);
  return (
    <Dialog
      title={t.inviteTitle}
      description={t.inviteText}
      open={open}
      onOpenChange={onOpenChange}
    >
      <Form onSubmit={() => invite.mutate(form.values)} error={invite.error}>
        <TextField label={t.email} type="email" required {...form.of("email")} />
        <Select
          label={t.role}
          options={MEMBER_ROLES.map((value) => ({
            value,
            label: `${t.roles[value]}: ${t.roleHints[value]}`,
          }))}
          {...form.of("role")}
        />
        <div className="dialog-actions">
          <Button onClick={() => onOpenChange(false)}>{words.cancel}</Button>
          <Button look="primary" type="submit" busy={invite.isPending}>
            {t.invite}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
