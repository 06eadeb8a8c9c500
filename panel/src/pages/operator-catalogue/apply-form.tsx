/** Puts a checked catalogue in force; where another one came between, says so and loses nothing. */
import { useState } from "react";
import type { ReactNode } from "react";
import type { CatalogueApplied, CatalogueApplyBody } from "../../../../src/contract/panel/operator-catalogue.ts";
import { ApiError } from "../../api/api-error.ts";
import { useDeed } from "../../api/operator.ts";
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
  onCompare(): void;
  onBuildOn(): void;
  onApplied(): void;
}

export function ApplyForm({ draft, inForce, onCompare, onBuildOn, onApplied }: ApplyFormProps): ReactNode {
  const t = useCatalogueTexts();
  const toasts = useToasts();
  const [note, setNote] = useState("");
  const deed = useDeed<CatalogueApplyBody, CatalogueApplied>("/catalogue/apply", ({ changed, version }) => {
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
  const conflict = deed.error instanceof ApiError && deed.error.status === 409;
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
        error={conflict ? null : deed.error}
        onSubmit={() =>
          deed.send({ source: draft.source, expectedVersion: draft.base, ...(note.trim() === "" ? {} : { note: note.trim() }) })
        }
      >
        <TextField label={t.note} hint={t.applyHint} optional maxLength={500} value={note} onChange={setNote} />
        <div className="form-actions">
          <Button type="submit" look="primary" busy={deed.busy} disabled={conflict}>
            {t.apply(String(draft.base))}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
