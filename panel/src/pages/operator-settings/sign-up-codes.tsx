/** Codes with which strangers may sign up: made, handed out as a link, taken back. */
import { useState } from "react";
import type { ReactNode } from "react";
import type { SignUpCode, SignUpCodeMade } from "../../../../src/contract/panel/sign-up-codes.ts";
import { useAction, useOperatorData } from "../../api/operator.ts";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/time.tsx";
import { useInstallationTexts } from "./use-installation-texts.ts";

export function SignUpCodes(): ReactNode {
  const t = useInstallationTexts();
  const codes = useOperatorData("/operator/sign-up-codes");
  const [made, setMade] = useState<SignUpCodeMade | null>(null);
  const columns: readonly Column<SignUpCode>[] = [
    {
      id: "hint",
      header: t.code,
      cell: ({ hint, note }) => (
        <>
          <code>{hint}</code>
          {note === null ? null : <div className="quiet small breaks">{note}</div>}
        </>
      ),
    },
    {
      id: "uses",
      header: t.uses,
      align: "end",
      cell: ({ uses, mostUses }) => t.used(uses, mostUses),
    },
    { id: "ends", header: t.ends, cell: ({ expiresAt }) => <Time iso={expiresAt} dateOnly /> },
    { id: "actions", header: "", align: "end", cell: (code) => <Withdraw code={code} /> },
  ];
  return (
    <>
      <NewCode onMade={setMade} />
      <Loaded query={codes}>
        {({ data }) => (
          <DataTable
            caption={t.codes}
            columns={columns}
            rows={data}
            rowKey={({ codeId }) => codeId}
            empty={<EmptyState title={t.noCodes} />}
          />
        )}
      </Loaded>
      <MadeCode made={made} onSaved={() => setMade(null)} />
    </>
  );
}

function NewCode({ onMade }: { onMade(made: SignUpCodeMade): void }): ReactNode {
  const t = useInstallationTexts();
  const form = useForm<{ note: string; mostUses: number | null; days: number | null }>({
    note: "",
    mostUses: 1,
    days: 30,
  });
  const create = useAction("/operator/sign-up-codes", {}, (made) => {
    onMade(made);
    form.reset();
  });
  return (
    <Form error={create.error} onSubmit={() => create.send(form.values)}>
      <TextField label={t.note} hint={t.noteHint} optional maxLength={200} {...form.of("note")} />
      <div className="columns">
        <NumberField label={t.mostUses} hint={t.mostUsesHint} {...form.of("mostUses")} />
        <NumberField label={t.days} hint={t.daysHint} {...form.of("days")} />
      </div>
      <div className="form-actions">
        <Button type="submit" icon="plus" busy={create.busy}>
          {t.makeCode}
        </Button>
      </div>
    </Form>
  );
}

function MadeCode({
  made,
  onSaved,
}: {
  readonly made: SignUpCodeMade | null;
  onSaved(): void;
}): ReactNode {
  const t = useInstallationTexts();
  const link = made === null ? "" : `${location.origin}/panel/sign-up#code=${made.code}`;
  return (
    <Dialog
      title={t.madeTitle}
      description={t.madeText}
      insists
      open={made !== null}
      actions={
        <>
          <CopyButton text={link} label={t.link} />
          <Button look="primary" onClick={onSaved}>
            {t.madeSaved}
          </Button>
        </>
      }
    >
      {made === null ? null : (
        <div className="stack">
          <CodeBlock code={made.code} label={t.code} />
          <CodeBlock code={link} label={t.link} />
        </div>
      )}
    </Dialog>
  );
}

function Withdraw({ code }: { readonly code: SignUpCode }): ReactNode {
  const t = useInstallationTexts();
  const words = useWords();
  const [open, setOpen] = useState(false);
  const withdraw = useAction(
    "/operator/sign-up-codes/{id}/withdraw",
    { params: { id: code.codeId } },
    () => setOpen(false),
  );
  return (
    <>
      <Button
        look="ghost"
        small
        icon="trash"
        aria-label={`${words.delete}: ${code.hint}`}
        onClick={() => setOpen(true)}
      />
      <ConfirmDialog
        title={t.withdrawTitle(code.hint)}
        description={t.withdrawText}
        action={t.withdraw}
        open={open}
        onOpenChange={setOpen}
        onConfirm={() => withdraw.send({})}
        busy={withdraw.busy}
        error={withdraw.error}
      />
    </>
  );
}
