/**
 * Changes what a key may: only what was really changed is sent. Where another change came between,
 * it is shown, and what was typed stays over it to be saved again.
 */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useKeysChanged } from "../../api/account-keys.ts";
import { postApi, readApi } from "../../api/call-api.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { valuesOver } from "../../ui/differences.ts";
import { Form, useForm } from "../../ui/form.tsx";
import { MeanwhileNote } from "../../ui/meanwhile-note.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useMeanwhile } from "../../ui/use-meanwhile.ts";
import type { KeyDialogProps } from "./key-dialog-props.ts";
import { KeyFields } from "./key-fields.tsx";
import { settingsOf } from "./key-settings.ts";
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

function EditForm({
  of: first,
  onDone,
}: Pick<KeyDialogProps, "of"> & { onDone(): void }): ReactNode {
  const t = useKeysTexts();
  const words = useWords();
  const toasts = useToasts();
  const formats = useFormats();
  const changed = useKeysChanged();
  const meanwhile = useMeanwhile(first, (one) => settingsOf(one, t, formats));
  const key = meanwhile.thing;
  const save = useMutation({
    mutationFn: async (change: ReturnType<typeof changesOf>) => {
      if (Object.keys(change).length > 0)
        await postApi("/keys/{hash}", {
          params: { hash: key.hash },
          body: { ...change, revision: key.revision },
        });
    },
    onError: async (error) => {
      const found = await meanwhile.lookAgain(error, () =>
        readApi("/keys/{hash}", { params: { hash: key.hash } }),
      );
      if (found === null) return;
      form.reset(valuesOver(valuesOf(found.before), valuesOf(found.now), form.values));
      changed();
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
      <MeanwhileNote differences={meanwhile.differences} />
      <div className="dialog-actions">
        <Button onClick={onDone}>{words.cancel}</Button>
        <Button look="primary" type="submit" busy={save.isPending}>
          {words.save}
        </Button>
      </div>
    </Form>
  );
}
