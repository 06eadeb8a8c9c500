/** What would be different: prices first, then models, routes and upstreams. */
import type { ReactNode } from "react";
import type {
  CatalogueChanges,
  CatalogueCheck,
} from "../../../../src/contract/panel/operator-catalogue.ts";
import { Card } from "../../ui/card.tsx";
import { OtherChanges } from "./other-changes.tsx";
import { PriceSteps } from "./price-steps.tsx";
import { unlistedChanges } from "./unlisted-changes.ts";
import { useCatalogueTexts } from "./use-catalogue-texts.ts";

const LISTS = [
  "modelsAdded",
  "modelsRemoved",
  "modelsChanged",
  "upstreamsAdded",
  "upstreamsRemoved",
  "upstreamsChanged",
] as const;
const ROUTES = ["routesAdded", "routesRemoved"] as const;

interface ChangesProps {
  readonly check: CatalogueCheck;
  readonly changes: CatalogueChanges;
}

export function ChangesView({ check, changes }: ChangesProps): ReactNode {
  const t = useCatalogueTexts();
  const { inForce, unchanged, priceSteps } = check;
  const others = unlistedChanges(changes.pricesChanged, priceSteps);
  const lists = LISTS.filter((name) => changes[name].length > 0);
  const routes = ROUTES.filter((name) => changes[name].length > 0);
  const nothing =
    lists.length === 0 &&
    routes.length === 0 &&
    changes.pricesChanged.length === 0 &&
    !changes.familiesChanged &&
    !changes.receiptsChanged;
  return (
    <Card title={t.changes(String(inForce))}>
      {nothing ? <p role="status">{unchanged ? t.unchanged : t.onlyWords}</p> : null}
      {priceSteps.length === 0 ? null : <PriceSteps steps={priceSteps} />}
      {others.length === 0 ? null : <OtherChanges rows={others} />}
      {lists.map((name) => (
        <Named key={name} title={t[name]} names={changes[name]} />
      ))}
      {routes.map((name) => (
        <Named
          key={name}
          title={t[name]}
          names={changes[name].map(({ model, route }) => `${model} → ${route}`)}
        />
      ))}
      {changes.familiesChanged ? <h3>{t.familiesChanged}</h3> : null}
      {changes.receiptsChanged ? <h3>{t.receiptsChanged}</h3> : null}
    </Card>
  );
}

function Named({
  title,
  names,
}: {
  readonly title: string;
  readonly names: readonly string[];
}): ReactNode {
  return (
    <div>
      <h3>{title}</h3>
      <ul className="operator-catalogue-names">
        {names.map((name) => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
