/**
 * Filters by a key: one of the account's by its name, or any by its whole hash; the address keeps
 * the hash.
 */
import { useState } from "react";
import type { ReactNode } from "react";
import { useOperatorData } from "../../api/operator.ts";
import { Combobox } from "../combobox.tsx";
import type { FilterField } from "../use-filters.ts";
import { KEY_HASH } from "./filter-shapes.ts";
import { useOperatorTexts } from "./use-operator-texts.ts";

const HASH_BEGINS = 8;

export function KeyFilter({
  account,
  value,
  onChange,
}: FilterField & { readonly account: string }): ReactNode {
  const t = useOperatorTexts();
  const [open, setOpen] = useState(false);
  // A link may name a key alone: whose it is, the hash finds.
  const whose = useOperatorData("/operator/accounts", {
    query: { search: value, limit: 1 },
    enabled: account === "" && KEY_HASH.test(value),
  });
  const owner = account === "" ? (whose.data?.data[0]?.accountId ?? "") : account;
  const { data, isFetching } = useOperatorData("/operator/accounts/{id}", {
    params: { id: owner },
    enabled: owner !== "" && (open || value !== ""),
  });
  return (
    <Combobox
      label={t.key}
      value={value}
      onChange={onChange}
      named={`${value.slice(0, HASH_BEGINS)}…`}
      choices={(data?.keys ?? []).map(({ hash, name, mask }) => ({
        value: hash,
        label: name,
        note: mask,
      }))}
      onSearch={(text) => setOpen(text !== null)}
      busy={isFetching && data === undefined}
      empty={owner === "" ? t.keyNeedsAccount : undefined}
      takesTyped={(typed) => KEY_HASH.test(typed)}
    />
  );
}
