/** What operators know of an account and its members do not see. */
import { useState } from "react";
import type { ReactNode } from "react";
import type { OperatorAccountDetail } from "../../../../src/contract/panel/operator-accounts.ts";
import { readApi } from "../../api/call-api.ts";
import { useAction } from "../../api/operator.ts";
import { useWords } from "../../i18n/use-words.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { valuesOver } from "../../ui/differences.ts";
import { useForm } from "../../ui/form.tsx";
import { MeanwhileNote } from "../../ui/meanwhile-note.tsx";
import { ActionForm } from "../../ui/operator/action-form.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useMeanwhile } from "../../ui/use-meanwhile.ts";
import type { ActionProps } from "./action-props.ts";
import { MOST_TAGS, readTags } from "./read-tags.ts";
import { useAccountTexts } from "./use-account-texts.ts";

const LONGEST_NOTE = 2000;

export function AccountNotes({ account }: { readonly account: OperatorAccountDetail }): ReactNode {
  const t = useAccountTexts();
  const [open, setOpen] = useState(false);
  const { note, tags } = account;
  return (
    <Card
      title={t.notes}
      actions={
        <Button small onClick={() => setOpen(true)}>
          {t.changeNotes}
        </Button>
      }
    >
      {tags.length === 0 ? null : (
        <p className="row">
          {tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </p>
      )}
      {note === "" ? null : <p className="operator-accounts-note">{note}</p>}
      {note === "" && tags.length === 0 ? <p className="quiet">{t.noNotes}</p> : null}
      <Dialog
        title={`${t.notes}: ${account.name}`}
        description={t.notesLead}
        open={open}
        onOpenChange={setOpen}
      >
        <NotesForm account={account} close={() => setOpen(false)} />
      </Dialog>
    </Card>
  );
}

function valuesOf({ note, tags }: OperatorAccountDetail) {
  return { note, tags: tags.join(", ") };
}

function NotesForm({ account: shown, close }: ActionProps): ReactNode {
  const t = useAccountTexts();
  const words = useWords();
  const toasts = useToasts();
  const meanwhile = useMeanwhile(shown, (one) => [
    [t.note, one.note || words.none],
    [t.tags, one.tags.join(", ") || words.none],
  ]);
  const account = meanwhile.thing;
  const action = useAction(
    "/operator/accounts/{id}/notes",
    { params: { id: account.accountId } },
    () => {
      toasts.done(t.notesDone);
      close();
    },
  );
  const form = useForm(valuesOf(account), action.error);
  const tags = readTags(form.values.tags);
  const lookAgain = async (error: unknown): Promise<void> => {
    const found = await meanwhile.lookAgain(error, () =>
      readApi("/operator/accounts/{id}", { params: { id: account.accountId } }),
    );
    if (found !== null)
      form.reset(valuesOver(valuesOf(found.before), valuesOf(found.now), form.values));
  };
  return (
    <ActionForm
      action={t.changeNotes}
      busy={action.busy}
      error={action.error}
      effect={<MeanwhileNote differences={meanwhile.differences} />}
      ready={tags !== null}
      onSubmit={() => {
        const revision = account.notesRevision;
        if (tags !== null)
          action.send({ note: form.values.note, tags: [...tags], revision }, lookAgain);
      }}
      onCancel={close}
    >
      <TextArea label={t.note} rows={5} maxLength={LONGEST_NOTE} optional {...form.of("note")} />
      <TextField
        label={t.tags}
        hint={t.tagsHint}
        optional
        maxLength={MOST_TAGS * 42}
        {...form.of("tags")}
        {...(tags === null ? { error: t.tagsMistake } : {})}
      />
    </ActionForm>
  );
}
