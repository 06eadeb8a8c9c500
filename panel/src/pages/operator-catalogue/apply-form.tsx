/** Puts a checked catalogue in force; where another one came between, says so and loses nothing. */
import { useState } from "react";
import type { ReactNode } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useAction } from "../../api/operator.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Form } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useToasts } from "../../ui/toast.tsx";
import type { Draft } from "./draft.ts";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

interface ApplyFormProps {
  readonly draft: Draft;
  /** What it was compared with. */
  readonly inForce: number;
  /** How many prices are below their cost: then it is confirmed by typing. */
  readonly losses: number;
  /** How many prices change by much: that is confirmed so, too. */
  readonly bigSteps: number;
  onCompare(): void;
  onBuildOn(): void;
  onApplied(): void;
}

export function ApplyForm({
  draft,
  inForce,
  losses,
  bigSteps,
  onCompare,
  onBuildOn,
  onApplied,
}: ApplyFormProps): ReactNode {
  const t = useCatalogueTexts();
  const toasts = useToasts();
  const [note, setNote] = useState("");
  const [loss, setLoss] = useState("");
  const [big, setBig] = useState("");
  const confirmed =
    (losses === 0 || isTyped(loss, t.lossWord)) && (bigSteps === 0 || isTyped(big, t.bigWord));
  const action = useAction("/operator/catalogue/apply", {}, ({ changed, version }) => {
    toasts.done(changed ? t.applied(String(version.version)) : t.sameText);
    onApplied();
  });
  if (inForce !== draft.base) {
    return (
      <div className="banner banner-warn operator-catalogue-conflict" role="alert">
        <p>{t.moved(String(draft.base), String(inForce))}</p>
        <Button small onClick={onBuildOn}>
          {t.buildOn(String(inForce))}
        </Button>
      </div>
    );
  }
  const conflict = action.error instanceof ApiError && action.error.status === 409;
  return (
    <Card>
      {conflict ? (
        <div className="banner banner-warn operator-catalogue-conflict" role="alert">
          <p>{t.conflict}</p>
          <Button small onClick={onCompare}>
            {t.compareAgain}
          </Button>
        </div>
      ) : null}
      <Form
        error={conflict ? null : action.error}
        onSubmit={() => {
          if (!confirmed) return;
          action.send({
            source: draft.source,
            expectedVersion: draft.base,
            ...(note.trim() === "" ? {} : { note: note.trim() }),
            ...(losses === 0 ? {} : { allowLoss: true }),
            ...(bigSteps === 0 ? {} : { allowBigChange: true }),
          });
        }}
      >
        <TextField
          label={t.note}
          hint={t.applyHint}
          optional
          maxLength={500}
          value={note}
          onChange={setNote}
        />
        {losses === 0 ? null : (
          <TypedWords label={t.confirmLoss(losses, t.lossWord)} value={loss} onChange={setLoss} />
        )}
        {bigSteps === 0 ? null : (
          <TypedWords label={t.confirmBig(bigSteps, t.bigWord)} value={big} onChange={setBig} />
        )}
        <div className="form-actions">
          <Button
            type="submit"
            look={losses === 0 && bigSteps === 0 ? "primary" : "danger"}
            busy={action.busy}
            disabled={conflict || !confirmed}
          >
            {t.apply(String(draft.base))}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

interface TypedWordsProps {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
}

/** Words that say that it is meant. */
function TypedWords(props: TypedWordsProps): ReactNode {
  return <TextField required autoComplete="off" spellCheck={false} {...props} />;
}

function isTyped(text: string, word: string): boolean {
  return text.trim().toLocaleLowerCase() === word;
}
