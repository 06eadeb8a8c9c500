/** One version of the catalogue: whose it is, and its text with line numbers. */
import type { ReactNode } from "react";
import type { CatalogueSource } from "../../../../src/contract/panel/operator-catalogue.ts";
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Facts } from "../../ui/stat.tsx";
import { Time } from "../../ui/time.tsx";
import { AppliedBy } from "./applied-by.tsx";
import { lineNumbers } from "./line-numbers.ts";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

export function VersionView({
  version,
  actions,
}: {
  readonly version: CatalogueSource;
  readonly actions?: ReactNode;
}): ReactNode {
  const t = useCatalogueTexts();
  return (
    <Card
      title={t.version(String(version.version))}
      actions={
        <>
          {actions}
          <CopyButton text={version.source} label={t.source} />
        </>
      }
    >
      <Facts
        items={[
          [t.appliedAt, <Time key="a" iso={version.appliedAt} />],
          [
            t.appliedBy,
            <AppliedBy key="b" origin={version.origin} appliedBy={version.appliedBy} />,
          ],
          [t.origin, t.origins[version.origin]],
          [t.note, version.note],
          [t.digest, <code key="d">{version.digest}</code>],
        ]}
      />
      <div
        className="operator-catalogue-source"
        tabIndex={0}
        role="region"
        aria-label={t.sourceOf(String(version.version))}
      >
        <pre className="operator-catalogue-lines" aria-hidden="true">
          {lineNumbers(version.source)}
        </pre>
        <pre>{version.source}</pre>
      </div>
    </Card>
  );
}
