/** Gives a key's place to a new one, after asking how long the old one lives on. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type { PanelKeyMade } from "../../../../src/contract/panel/panel-key.ts";
import { useKeysChanged } from "../../api/account-keys.ts";
import { postApi } from "../../api/call-api.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import type { KeyDialogProps } from "./key-dialog-props.ts";
import { useKeysTexts } from "./use-keys-texts.ts";

const OVERLAPS = ["0", "1", "24", "72", "168"] as const;

interface RollKeyProps extends KeyDialogProps {
  /** With the new secret, to be shown where nothing that is read anew takes it away. */
  onMade(made: PanelKeyMade): void;
}

export function RollKey({
  of: { hash, name },
  open,
  onOpenChange,
  onMade,
}: RollKeyProps): ReactNode {
  const t = useKeysTexts();
  const changed = useKeysChanged();
  const [overlap, setOverlap] = useState<(typeof OVERLAPS)[number]>("24");
  const roll = useMutation({
    gcTime: 0,
    // Its answer is handed on and not returned: nothing that keeps answers may keep this one.
    mutationFn: async () => {
      onMade(
        await postApi("/keys/{hash}/roll", {
          params: { hash },
          body: { overlapHours: Number(overlap) },
        }),
      );
      onOpenChange(false);
    },
    onSettled: changed,
  });
  return (
    <ConfirmDialog
      title={t.rollTitle(name)}
      description={t.rollText}
      action={t.rollAction}
      danger={false}
      open={open}
      onOpenChange={onOpenChange}
      onConfirm={() => roll.mutate()}
      busy={roll.isPending}
      error={roll.error}
    >
      <Select<(typeof OVERLAPS)[number]>
        label={t.overlap}
        hint={t.rollLimitNote}
        value={overlap}
        onChange={setOverlap}
        options={OVERLAPS.map((hours) => ({ value: hours, label: t.overlaps[hours] }))}
      />
    </ConfirmDialog>
  );
}
