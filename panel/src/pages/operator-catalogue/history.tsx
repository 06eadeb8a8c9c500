/** Every version of the catalogue, newest first, and the text of the chosen one. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type {
  CatalogueSource,
  CatalogueVersion,
} from "../../../../src/contract/panel/operator-catalogue.ts";
import { useOperatorData } from "../../api/operator.ts";
import { usePages } from "../../api/use-pages.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { RowTime } from "../../ui/time.tsx";
import { AppliedBy } from "./applied-by.tsx";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";
import { VersionView } from "./version-view.tsx";

interface HistoryProps {
  readonly inForce: number;
  /** A number as in the address; empty: none. */
  readonly chosen: string;
  onChoose(version: string): void;
  onTake(version: CatalogueSource): void;
}

export function History({ inForce, chosen, onChoose, onTake }: HistoryProps): ReactNode {
  const t = useCatalogueTexts();
  const { inZone } = useFormats();
  const pages = usePages("/operator/catalogue/versions");
  const columns = useMemo(
    (): readonly Column<CatalogueVersion>[] => [
      {
        id: "version",
        header: t.versionHeader,
        cell: ({ version }) => (
          <span className="row">
            <Button
              small
              look="ghost"
              aria-pressed={chosen === String(version)}
              onClick={() => onChoose(String(version))}
            >
              {t.version(String(version))}
            </Button>
            {version === inForce ? <Badge tone="good">{t.inForce}</Badge> : null}
          </span>
        ),
      },
      {
        id: "at",
        header: inZone(t.appliedAt),
        cell: ({ appliedAt }) => <RowTime iso={appliedAt} />,
      },
      {
        id: "by",
        header: t.appliedBy,
        cell: ({ origin, appliedBy }) => <AppliedBy origin={origin} appliedBy={appliedBy} />,
      },
      { id: "origin", header: t.origin, cell: ({ origin }) => t.origins[origin] },
      { id: "note", header: t.note, cell: ({ note }) => note ?? "—" },
    ],
    [t, inZone, chosen, inForce, onChoose],
  );
  return (
    <div className="stack">
      <CursorList
        pages={pages}
        caption={t.historyCaption}
        columns={columns}
        rowKey={({ version }) => String(version)}
      />
      {chosen === "" ? null : <Chosen version={chosen} onTake={onTake} />}
    </div>
  );
}

function Chosen({
  version,
  onTake,
}: { readonly version: string } & Pick<HistoryProps, "onTake">): ReactNode {
  const t = useCatalogueTexts();
  const query = useOperatorData("/operator/catalogue/versions/{version}", { params: { version } });
  return (
    <Loaded query={query}>
      {(source) => (
        <VersionView
          version={source}
          actions={
            <Button small onClick={() => onTake(source)}>
              {t.takeToEditor}
            </Button>
          }
        />
      )}
    </Loaded>
  );
}
