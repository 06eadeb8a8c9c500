/** Chooses the group into which the keys go that a member makes as a developer. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ListedMember } from "../../../../src/contract/panel/members.ts";
import { groupsQuery } from "../../api/account-groups.ts";
import { postApi } from "../../api/call-api.ts";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { Select } from "../../ui/select.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useSettingsTexts } from "./use-settings-texts.ts";

interface ChooseGroupProps {
  readonly of: ListedMember;
  onDone(): void;
}

export function ChooseGroup({
  of: { memberId, email, group },
  onDone,
}: ChooseGroupProps): ReactNode {
  const t = useSettingsTexts();
  const words = useWords();
  const toasts = useToasts();
  const client = useQueryClient();
  const groups = useQuery(groupsQuery);
  const choose = useMutation({
    mutationFn: (id: string) =>
      postApi("/members/{id}/group", {
        params: { id: memberId },
        body: { group: id === "" ? null : id },
      }),
    async onSuccess() {
      onDone();
      toasts.done(t.groupChosen);
      await client.invalidateQueries({ queryKey: ["members"] });
    },
  });
  const form = useForm({ group: group?.id ?? "" }, choose.error);
  return (
    <Dialog
      title={t.chooseGroupTitle(email)}
      description={t.chooseGroupText}
      open
      onOpenChange={onDone}
    >
      <Form onSubmit={() => choose.mutate(form.values.group)} error={choose.error}>
        <Select
          label={t.keyGroup}
          options={[
            { value: "", label: t.noKeyGroup },
            ...(groups.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          {...form.of("group")}
        />
        <div className="dialog-actions">
          <Button onClick={onDone}>{words.cancel}</Button>
          <Button look="primary" type="submit" busy={choose.isPending}>
            {words.save}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
