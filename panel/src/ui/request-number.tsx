/**
 * A field for the number of one request: what a customer reads out, or a program has logged, leads
 * to its page.
 */
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import { FilterText } from "./filter-text.tsx";
import { REQUEST_ID, TASK_ID } from "./request-id.ts";

const NUMBER = new RegExp(`${REQUEST_ID.source}|${TASK_ID.source}`, "i");

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
        if (REQUEST_ID.test(id)) onRequest(id);
        else if (id !== "") onTask(id);
      }}
    />
  );
}
