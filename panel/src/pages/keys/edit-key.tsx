/** Changes what a key may: only what was really changed is sent. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useKeysChanged } from "../../api/account-keys.ts";
import { postApi } from "../../api/call-api.ts";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { useToasts } from "../../ui/toast.tsx";
import type { KeyDialogProps } from "./key-dialog-props.ts";
import { KeyFields } from "./key-fields.tsx";
import { changesOf, valuesOf } from "./key-wishes.ts";
import { useKeysTexts } from "./use-keys-texts.ts";

export function EditKey({ of: key, open, onOpenChange }: KeyDialogProps): ReactNode {
  const t = useKeysTexts();
  return (
    <Dialog title={t.editTitle} open={open} onOpenChange={onOpenChange}>
      <EditForm of={key} onDone={() => onOpenChange(false)} />
    </Dialog>
  );
}

function EditForm({ of: key, onDone }: Pick<KeyDialogProps, "of"> & { onDone(): void }): ReactNode {
  const t = useKeysTexts();
  const words = useWords();
  const toasts = useToasts();
  const changed = useKeysChanged();
  const save = useMutation({
    mutationFn: async (change: ReturnType<typeof changesOf>) => {
      if (Object.keys(change).length > 0)
        await postApi("/keys/{hash}", { params: { hash: key.hash }, body: change });
    },
    onSuccess: () => {
      changed();
      toasts.done(t.saved);
      onDone();
    },
  });
  const form = useForm(valuesOf(key), save.error);
  return (
    <Form onSubmit={() => save.mutate(changesOf(key, form.values))} error={save.error}>
      <KeyFields form={form} unfolded />
      <div className="dialog-actions">
        <Button onClick={onDone}>{words.cancel}</Button>
        <Button look="primary" type="submit" busy={save.isPending}>
          {words.save}
        </Button>
      </div>
    </Form>
  );
}
