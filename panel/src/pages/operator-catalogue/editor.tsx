/**
 * Edits the catalogue, as a table of prices or as its YAML: nothing is applied that was not checked
 * in these very words, and nothing over a version that was not seen.
 */
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import type { CatalogueSource } from "../../../../src/contract/panel/operator-catalogue.ts";
import { postApi } from "../../api/call-api.ts";
import { useFaults } from "../../i18n/use-faults.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Segments } from "../../ui/segments.tsx";
import { CheckResult } from "./check-result.tsx";
import type { Draft } from "./draft.ts";
import { placeOfLine } from "./line-numbers.ts";
import { PricePart } from "./price-part.tsx";
import { SourceField } from "./source-field.tsx";
import { usePriceTable } from "./use-price-table.ts";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

export type EditorView = "prices" | "yaml";

interface EditorProps {
  readonly draft: Draft;
  readonly inForce: CatalogueSource;
  readonly view: EditorView;
  onView(view: EditorView): void;
  /** Null: as it is in force. */
  onDraft(draft: Draft | null): void;
  onApplied(): void;
}

export function Editor(props: EditorProps): ReactNode {
  const { draft, inForce, view, onView, onDraft, onApplied } = props;
  const t = useCatalogueTexts();
  const faults = useFaults();
  const field = useRef<HTMLTextAreaElement>(null);
  const [sought, setSought] = useState<number | null>(null);
  const onSource = (source: string): void => {
    const asInForce = source === inForce.source && draft.base === inForce.version;
    onDraft(asInForce ? null : { ...draft, source });
  };
  const table = usePriceTable(draft.source, view === "prices", onSource);
  const unread = view === "prices" ? table.rows.filter((row) => row.unread).length : 0;
  const checking = useMutation({
    mutationFn: (source: string) => postApi("/operator/catalogue/check", { body: { source } }),
  });
  const current = checking.variables === draft.source && unread === 0;
  const checked = current ? checking.data : undefined;
  useEffect(() => {
    const area = field.current;
    if (sought === null || view !== "yaml" || area === null) return;
    const [start, end] = placeOfLine(draft.source, sought);
    area.focus();
    area.setSelectionRange(start, end);
    area.scrollTop =
      (area.scrollHeight / draft.source.split("\n").length) * Math.max(0, sought - 4);
    setSought(null);
  }, [sought, view, draft.source]);
  const goTo = (line: number): void => {
    onView("yaml");
    setSought(line);
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
        <Segments
          label={t.editAs}
          value={view}
          onChange={onView}
          options={[
            { value: "prices", label: t.asPrices },
            { value: "yaml", label: t.asYaml },
          ]}
        />
        {view === "prices" ? (
          <PricePart table={table} onLine={goTo} />
        ) : (
          <SourceField ref={field} value={draft.source} onChange={onSource} />
        )}
        <div className="row">
          <Button
            look="primary"
            icon="check"
            busy={checking.isPending}
            disabled={unread > 0}
            onClick={() => checking.mutate(draft.source)}
          >
            {t.check}
          </Button>
          {unread > 0 ? (
            <span className="small operator-catalogue-loss" role="status">
              {t.unreadPrices(unread)}
            </span>
          ) : checked === undefined && !checking.isPending ? (
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
        <CheckResult
          draft={draft}
          checked={checked}
          onLine={goTo}
          onCompare={() => checking.mutate(draft.source)}
          onDraft={onDraft}
          onApplied={onApplied}
        />
      )}
    </div>
  );
}
