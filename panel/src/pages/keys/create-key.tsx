/** Makes a key by its form, and shows its secret the one time that it can be seen. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type { NewPanelKey, PanelKeyMade } from "../../../../src/contract/panel/panel-key.ts";
import { useKeysChanged } from "../../api/account-keys.ts";
import { ApiError } from "../../api/api-error.ts";
import { postApi } from "../../api/call-api.ts";
import { useSession } from "../../app/session.ts";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { KeyFields } from "./key-fields.tsx";
import { NEW_KEY, wishesOf } from "./key-wishes.ts";
import { newFormId } from "../../api/new-form-id.ts";
import { ShownSecret } from "./shown-secret.tsx";
import { useKeysTexts } from "./use-keys-texts.ts";

export function CreateKey(): ReactNode {
  const t = useKeysTexts();
  const [open, setOpen] = useState(false);
  // Kept here only, and only until it was seen.
  const [made, setMade] = useState<PanelKeyMade | null>(null);
  return (
    <>
      <Button look="primary" icon="plus" onClick={() => setOpen(true)}>
        {t.create}
      </Button>
      <Dialog title={t.createTitle} open={open} onOpenChange={setOpen}>
        <NewKeyForm
          onCancel={() => setOpen(false)}
          onMade={(one) => {
            setOpen(false);
            setMade(one);
          }}
        />
      </Dialog>
      <ShownSecret made={made} onSaved={() => setMade(null)} />
    </>
  );
}

interface NewKeyFormProps {
  onCancel(): void;
  onMade(made: PanelKeyMade): void;
}

function NewKeyForm({ onCancel, onMade }: NewKeyFormProps): ReactNode {
  const t = useKeysTexts();
  const words = useWords();
  const changed = useKeysChanged();
  const [once] = useState(newFormId);
  const { member } = useSession();
  // A developer makes keys for itself.
  const first = { ...NEW_KEY, owner: member.role === "developer" ? member.memberId : "" };
  const create = useMutation({
    gcTime: 0,
    // Its answer is handed on and not returned: nothing that keeps answers may keep this one.
    mutationFn: async (wish: NewPanelKey) => {
      onMade(await postApi("/keys", { body: wish }));
    },
    onSettled: changed,
  });
  const form = useForm(first, create.error);
  const doubled = create.error instanceof ApiError && create.error.code === "conflict";
  return (
    <Form
      onSubmit={() => create.mutate({ ...wishesOf(form.values), once })}
      error={doubled ? null : create.error}
    >
      {doubled ? (
        <p className="banner banner-warn" role="alert">
          {t.onceUsed}
        </p>
      ) : null}
      <KeyFields form={form} unfolded={false} />
      <div className="dialog-actions">
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button look="primary" type="submit" busy={create.isPending} disabled={doubled}>
          {t.create}
        </Button>
      </div>
    </Form>
  );
}
