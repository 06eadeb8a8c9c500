/**
 * Filters by an account, which is found by name, e-mail, number or key; the address keeps its
 * number.
 */
import { useState } from "react";
import type { ReactNode } from "react";
import { useOperatorData } from "../../api/operator.ts";
import { Combobox } from "../combobox.tsx";
import type { FilterField } from "../use-filters.ts";
import { useDebounced } from "../use-debounced.ts";
import { ACCOUNT_ID } from "./filter-shapes.ts";
import { useOperatorTexts } from "./use-operator-texts.ts";

const SHOWN = 8;
const REST_MS = 250;
const NUMBER_BEGINS = 8;

export function AccountFilter({ value, onChange }: FilterField): ReactNode {
  const t = useOperatorTexts();
  const [text, setText] = useState<string | null>(null);
  const sought = useDebounced(text ?? "", REST_MS);
  const found = useOperatorData("/operator/accounts", {
    query: { search: sought, limit: SHOWN },
    enabled: text !== null,
  });
  // The server would refuse what is no number, and lists everything for nothing.
  const own = useOperatorData("/operator/accounts", {
    query: { search: value, limit: 1 },
    enabled: ACCOUNT_ID.test(value),
  });
  return (
    <Combobox
      label={t.account}
      value={value}
      onChange={onChange}
      named={own.data?.data[0]?.name ?? `${value.slice(0, NUMBER_BEGINS)}…`}
      choices={(found.data?.data ?? []).map(({ accountId, name, emails }) => ({
        value: accountId,
        label: name,
        note: emails[0] ?? accountId,
      }))}
      onSearch={setText}
      searched
      busy={found.isFetching || sought !== (text ?? "")}
      takesTyped={(typed) => ACCOUNT_ID.test(typed)}
    />
  );
}
