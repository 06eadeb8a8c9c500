/** Which models something may call, those that are sold no more among them where it names them. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { modelsQuery } from "../api/account-models.ts";
import { CheckboxList } from "./checkbox.tsx";

interface ModelsFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: readonly string[];
  onChange(chosen: readonly string[]): void;
}

export function ModelsField({ value, ...field }: ModelsFieldProps): ReactNode {
  const models = useQuery(modelsQuery);
  const known = (models.data?.data ?? []).map(({ id, displayName }) => ({
    value: id,
    label: displayName,
  }));
  const gone = value
    .filter((id) => !known.some((one) => one.value === id))
    .map((id) => ({ value: id, label: id }));
  return <CheckboxList {...field} options={[...known, ...gone]} value={value} />;
}
