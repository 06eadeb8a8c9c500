/** What can be done to a group, from its row. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { PanelGroup } from "../../../../src/contract/panel/panel-group.ts";
import { useGroupsChanged } from "../../api/account-groups.ts";
import { postApi } from "../../api/call-api.ts";
import { Menu } from "../../ui/menu.tsx";
import { useToasts } from "../../ui/toast.tsx";
import type { GroupDialog } from "./group-dialog.ts";
import { useGroupsTexts } from "./use-groups-texts.ts";

interface GroupMenuProps {
  readonly of: PanelGroup;
  onAsk(asked: GroupDialog, of: PanelGroup): void;
}

export function GroupMenu({ of: group, onAsk }: GroupMenuProps): ReactNode {
  const t = useGroupsTexts();
  const toasts = useToasts();
  const changed = useGroupsChanged();
  // Nothing is asked first: nothing is lost by it.
  const switchOn = useMutation({
    mutationFn: () => postApi("/groups/{id}/unfreeze", { params: { id: group.id } }),
    onSuccess: () => {
      changed();
      toasts.done(t.switchedOn);
    },
    onError: (error) => toasts.failed(error),
  });
  return (
    <Menu
      label={t.menuOf(group.name)}
      items={[
        { label: t.edit, icon: "gear", onSelect: () => onAsk("edit", group) },
        group.frozenAt === null
          ? { label: t.switchOff, icon: "stop", onSelect: () => onAsk("switch-off", group) }
          : { label: t.switchOn, icon: "play", onSelect: () => switchOn.mutate() },
        { label: t.remove, icon: "trash", danger: true, onSelect: () => onAsk("delete", group) },
      ]}
    />
  );
}
