/**
 * A field for the number of one request: what a customer reads out, or a program has logged, leads
 * to its page.
 */
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import { FilterText } from "./filter-text.tsx";

const REQUEST = /^req_[0-9a-f]{32}$/i;
const TASK = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NUMBER = new RegExp(`${REQUEST.source}|${TASK.source}`, "i");

interface RequestNumberProps {
  onRequest(id: string): void;
  onTask(id: string): void;
  /** Its label stands in the field itself. */
  readonly labelInside?: boolean;
}

export function RequestNumber({
  onRequest,
  onTask,
  labelInside = false,
}: RequestNumberProps): ReactNode {
  const words = useWords();
  return (
    <FilterText
      label={words.requestNumber}
      shape={{ pattern: NUMBER, mistake: words.wholeRequestNumber }}
      quietLabel={labelInside}
      placeholder={labelInside ? words.requestNumber : "req_…"}
      value=""
      onChange={(number) => {
        const id = number.toLowerCase();
        if (REQUEST.test(id)) onRequest(id);
        else if (id !== "") onTask(id);
      }}
    />
  );
}
