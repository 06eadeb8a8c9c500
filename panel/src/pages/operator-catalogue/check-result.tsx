/** What a check of a catalogue found, and where it is in order the way to put it in force. */
import type { ReactNode } from "react";
import type { CatalogueCheck } from "../../../../src/contract/panel/operator-catalogue.ts";
import { ApplyForm } from "./apply-form.tsx";
import { ChangesView } from "./changes-view.tsx";
import type { Draft } from "./draft.ts";
import { DryRun } from "./dry-run.tsx";
import { MarginsView } from "./margins-view.tsx";
import { Mistakes } from "./mistakes.tsx";

interface CheckResultProps {
  /** That was checked. */
  readonly draft: Draft;
  readonly checked: CatalogueCheck;
  onLine(line: number): void;
  onCompare(): void;
  onDraft(draft: Draft): void;
  onApplied(): void;
}

export function CheckResult({
  draft,
  checked,
  onLine,
  onCompare,
  onDraft,
  onApplied,
}: CheckResultProps): ReactNode {
  const { ok, changes, margins, priceSteps, inForce, unchanged } = checked;
  return (
    <>
      <Mistakes mistakes={checked.mistakes} warnings={checked.warnings} onGo={onLine} />
      {ok && changes !== null ? (
        <>
          <ChangesView check={checked} changes={changes} />
          <MarginsView margins={margins} />
          {unchanged ? null : (
            <>
              <DryRun key={draft.source} source={draft.source} />
              <ApplyForm
                draft={draft}
                inForce={inForce}
                losses={margins.reduce(
                  (sum, { lines }) => sum + lines.filter(({ belowCost }) => belowCost).length,
                  0,
                )}
                bigSteps={priceSteps.filter(({ big }) => big).length}
                onCompare={onCompare}
                onBuildOn={() => onDraft({ ...draft, base: inForce })}
                onApplied={onApplied}
              />
            </>
          )}
        </>
      ) : null}
    </>
  );
}
