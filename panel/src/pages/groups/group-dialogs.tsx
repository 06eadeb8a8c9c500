/** The windows about one group, of which one at a time is open. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { PanelGroup } from "../../../../src/contract/panel/panel-group.ts";
import { useGroupsChanged } from "../../api/account-groups.ts";
import { deleteApi, postApi } from "../../api/call-api.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { useToasts } from "../../ui/toast.tsx";
import type { GroupDialog } from "./group-dialog.ts";
import { GroupForm } from "./group-form.tsx";
import { useGroupsTexts } from "./use-groups-texts.ts";

interface GroupDialogsProps {
  readonly of: PanelGroup;
  readonly asked: GroupDialog;
  onDone(): void;
}

export function GroupDialogs({ of: group, asked, onDone }: GroupDialogsProps): ReactNode {
  const t = useGroupsTexts();
  const toasts = useToasts();
  const changed = useGroupsChanged();
  const { id, name } = group;
  const isOff = asked === "switch-off";
  const change = useMutation({
    mutationFn: async () => {
      if (isOff) await postApi("/groups/{id}/freeze", { params: { id } });
      else await deleteApi("/groups/{id}", { params: { id } });
    },
    onSuccess: () => {
      changed();
      toasts.done(isOff ? t.switchedOff : t.removed);
      onDone();
    },
  });
  if (asked === "edit") return <GroupForm of={group} open onOpenChange={onDone} />;
  return (
    <ConfirmDialog
      title={isOff ? t.switchOffTitle(name) : t.removeTitle(name)}
      description={isOff ? t.switchOffText : t.removeText}
      action={isOff ? t.switchOff : t.removeAction}
      open
      onOpenChange={onDone}
      onConfirm={() => change.mutate()}
      busy={change.isPending}
      error={change.error}
    />
  );
}
