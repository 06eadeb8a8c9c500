/**
 * Changes what a key may: only what was really changed is sent. Where another change came between,
 * it is shown, and what was typed stays over it to be saved again.
 */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { useKeysChanged } from "../../api/account-keys.ts";
import { ApiError } from "../../api/api-error.ts";
import { postApi, readApi } from "../../api/call-api.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { useToasts } from "../../ui/toast.tsx";
import type { KeyDialogProps } from "./key-dialog-props.ts";
import { differencesOf, valuesOver, type KeyDifference } from "./key-differences.ts";
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

function bringIntoSight(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "center" });
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
  /** As the form was filled in from it. */
  const [key, setKey] = useState(first);
  const [meanwhile, setMeanwhile] = useState<readonly KeyDifference[]>([]);
  const save = useMutation({
    mutationFn: async (change: ReturnType<typeof changesOf>) => {
      if (Object.keys(change).length > 0)
        await postApi("/keys/{hash}", {
          params: { hash: key.hash },
          body: { ...change, revision: key.revision },
        });
    },
    onError: async (error) => {
      if (!(error instanceof ApiError) || error.reason !== "changed_meanwhile") return;
      const now = await readApi("/keys/{hash}", { params: { hash: key.hash } });
      setMeanwhile(differencesOf(key, now, t, formats));
      form.reset(valuesOver(key, now, form.values));
      setKey(now);
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
      {/* Beside the button that was pressed. */}
      {meanwhile.length === 0 ? null : (
        <div ref={bringIntoSight} className="banner banner-warn keys-meanwhile">
          <p>{t.meanwhile}</p>
          <ul>
            {meanwhile.map(({ label, before, now }) => (
              <li key={label} className="breaks">
                {t.changedFromTo(label, before, now)}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className="dialog-actions">
        <Button onClick={onDone}>{words.cancel}</Button>
        <Button look="primary" type="submit" busy={save.isPending}>
          {words.save}
        </Button>
      </div>
    </Form>
  );
}
