/**
 * Edits the catalogue: nothing is applied that was not checked in these very words, and nothing
 * over a version that was not seen.
 */
import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import type { ReactNode } from "react";
import type { CatalogueSource } from "../../../../src/contract/panel/operator-catalogue.ts";
import { postApi } from "../../api/call-api.ts";
import { useFaults } from "../../i18n/use-faults.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ApplyForm } from "./apply-form.tsx";
import { ChangesView } from "./changes-view.tsx";
import type { Draft } from "./draft.ts";
import { DryRun } from "./dry-run.tsx";
import { placeOfLine } from "./line-numbers.ts";
import { MarginsView } from "./margins-view.tsx";
import { Mistakes } from "./mistakes.tsx";
import { SourceField } from "./source-field.tsx";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

interface EditorProps {
  readonly draft: Draft;
  readonly inForce: CatalogueSource;
  /** Null: as it is in force. */
  onDraft(draft: Draft | null): void;
  onApplied(): void;
}

export function Editor({ draft, inForce, onDraft, onApplied }: EditorProps): ReactNode {
  const t = useCatalogueTexts();
  const faults = useFaults();
  const field = useRef<HTMLTextAreaElement>(null);
  const checking = useMutation({
    mutationFn: (source: string) => postApi("/operator/catalogue/check", { body: { source } }),
  });
  const checked = checking.variables === draft.source ? checking.data : undefined;
  const goTo = (line: number): void => {
    const area = field.current;
    if (area === null) return;
    const [start, end] = placeOfLine(draft.source, line);
    area.focus();
    area.setSelectionRange(start, end);
    area.scrollTop = (area.scrollHeight / draft.source.split("\n").length) * Math.max(0, line - 4);
  };
  return (
    <div className="stack">
      <Card
        title={t.basedOn(String(draft.base))}
        actions={
          draft.source === inForce.source ? undefined : (
            <Button small look="ghost" icon="again" onClick={() => onDraft(null)}>
              {t.startOver}
            </Button>
          )
        }
      >
        <SourceField
          ref={field}
          value={draft.source}
          onChange={(source) => onDraft({ ...draft, source })}
        />
        <div className="row">
          <Button
            look="primary"
            icon="check"
            busy={checking.isPending}
            onClick={() => checking.mutate(draft.source)}
          >
            {t.check}
          </Button>
          {checked === undefined && !checking.isPending ? (
            <span className="quiet small">
              {checking.data === undefined ? t.checkFirst : t.checkAgain}
            </span>
          ) : null}
        </div>
        {checking.error === null ? null : (
          <p className="banner banner-danger" role="alert">
            {faults.sentence(checking.error)}
          </p>
        )}
      </Card>
      {checked === undefined ? null : (
        <>
          <Mistakes mistakes={checked.mistakes} warnings={checked.warnings} onGo={goTo} />
          {checked.ok && checked.changes !== null ? (
            <>
              <ChangesView check={checked} changes={checked.changes} />
              <MarginsView margins={checked.margins} />
              {checked.unchanged ? null : (
                <>
                  <DryRun key={draft.source} source={draft.source} />
                  <ApplyForm
                    draft={draft}
                    inForce={checked.inForce}
                    losses={checked.margins.reduce(
                      (sum, { lines }) => sum + lines.filter(({ belowCost }) => belowCost).length,
                      0,
                    )}
                    onCompare={() => checking.mutate(draft.source)}
                    onBuildOn={() => onDraft({ ...draft, base: checked.inForce })}
                    onApplied={onApplied}
                  />
                </>
              )}
            </>
          ) : null}
        </>
      )}
    </div>
  );
}
