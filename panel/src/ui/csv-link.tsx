/**
 * A link that saves a table as a file for spreadsheets, and says so where it cannot: of a plain
 * download a browser only tells that it failed.
 */
import { useMutation } from "@tanstack/react-query";
import type { MouseEvent, ReactNode } from "react";
import { unreachable } from "../api/api-error.ts";
import { apiUrl, sendApi } from "../api/call-api.ts";
import type { Query } from "../api/call-api.ts";
import { useLocale } from "../i18n/locale.tsx";
import { ButtonAnchor } from "./button.tsx";
import { useToasts } from "./toast.tsx";

interface CsvLinkProps {
  /** Of the panel's API. */
  readonly path: string;
  /** The filters of the list. */
  readonly query: Query;
  /** What tells one file from another, in its name; empty ones are left out. */
  readonly name: readonly string[];
  readonly className?: string;
  readonly children: ReactNode;
}

export function CsvLink({ path, query, name, className, children }: CsvLinkProps): ReactNode {
  const { language, timeZone: timezone } = useLocale();
  const toasts = useToasts();
  const asked = { ...query, language, timezone };
  const fileName = `${["tollgate", ...name].filter((part) => part !== "").join("-")}.csv`;
  const saving = useMutation({
    mutationFn: () => readFile(path, asked),
    onSuccess: (file) => save(file, fileName),
    onError: (error) => toasts.failed(error),
  });
  return (
    <ButtonAnchor
      {...(saving.isPending ? {} : { icon: "download" as const })}
      href={apiUrl(path, asked)}
      download={fileName}
      aria-busy={saving.isPending}
      {...(className === undefined ? {} : { className })}
      onClick={(event: MouseEvent) => {
        event.preventDefault();
        if (!saving.isPending) saving.mutate();
      }}
    >
      {saving.isPending ? <span className="spinner" aria-hidden="true" /> : null}
      {children}
    </ButtonAnchor>
  );
}

async function readFile(path: string, query: Query): Promise<Blob> {
  const response = await sendApi(path, { query });
  // Half a table looks like a whole one.
  return response.blob().catch(() => {
    throw unreachable();
  });
}

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Browsers begin to save a moment later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
