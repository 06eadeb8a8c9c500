/**
 * Filter by a model or an upstream: those in force are offered, and any other name that is typed is
 * taken.
 */
import { useState } from "react";
import type { ReactNode } from "react";
import type { UpstreamsReport } from "../../../../src/contract/panel/operator-upstreams.ts";
import { useOperatorData } from "../../api/operator.ts";
import { Combobox } from "../combobox.tsx";
import type { FilterField } from "../use-filters.ts";
import { useOperatorTexts } from "./use-operator-texts.ts";

type Kind = UpstreamsReport["routes"][number]["kind"];

interface RouteFilterProps extends FilterField {
  /** Whose routes. */
  readonly kind: Kind;
}

export function ModelFilter(props: RouteFilterProps): ReactNode {
  return (
    <RouteFilter {...props} label={useOperatorTexts().model} namesOf={({ models }) => models} />
  );
}

export function UpstreamFilter(props: RouteFilterProps): ReactNode {
  return (
    <RouteFilter
      {...props}
      label={useOperatorTexts().upstream}
      namesOf={({ upstream }) => [upstream]}
    />
  );
}

interface NamedFilterProps extends RouteFilterProps {
  readonly label: string;
  namesOf(route: UpstreamsReport["routes"][number]): readonly string[];
}

function RouteFilter({ label, kind, namesOf, value, onChange }: NamedFilterProps): ReactNode {
  const [open, setOpen] = useState(false);
  const { data, isFetching } = useOperatorData("/operator/upstreams", {
    query: { window: "15m" },
    enabled: open,
  });
  const names = new Set(
    (data?.routes ?? [])
      .filter((route) => (route.kind === "task") === (kind === "task"))
      .flatMap(namesOf),
  );
  return (
    <Combobox
      label={label}
      value={value}
      onChange={onChange}
      choices={[...names]
        .toSorted((a, b) => a.localeCompare(b))
        .map((name) => ({ value: name, label: name }))}
      onSearch={(text) => setOpen(text !== null)}
      busy={isFetching && data === undefined}
      takesTyped={() => true}
    />
  );
}
