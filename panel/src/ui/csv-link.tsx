/**
 * A link that saves a table as a file for spreadsheets, and says so where it cannot: of a plain
 * download a browser only tells that it failed.
 */
import { useMutation } from "@tanstack/react-query";
import type { MouseEvent, ReactNode } from "react";
import { csvFile } from "../api/csv-file.ts";
import type { CsvFilters, CsvPath } from "../api/csv-file.ts";
import { useLocale } from "../i18n/locale.tsx";
import { ButtonAnchor } from "./button.tsx";
import { useToasts } from "./toast.tsx";

interface CsvLinkProps<Path extends CsvPath> {
  readonly path: Path;
  /** The filters of the list. */
  readonly query: CsvFilters<Path>;
  /** What tells one file from another, in its name; empty ones are left out. */
  readonly name: readonly string[];
  readonly className?: string;
  readonly children: ReactNode;
}

export function CsvLink<Path extends CsvPath>({
  path,
  query,
  name,
  className,
  children,
}: CsvLinkProps<Path>): ReactNode {
  const { language, timeZone: timezone } = useLocale();
  const toasts = useToasts();
  const csv = csvFile(path, query, { language, timezone });
  const fileName = `${["tollgate", ...name].filter((part) => part !== "").join("-")}.csv`;
  const saving = useMutation({
    mutationFn: () => csv.read(),
    onSuccess: (file) => save(file, fileName),
    onError: (error) => toasts.failed(error),
  });
  return (
    <ButtonAnchor
      {...(saving.isPending ? {} : { icon: "download" as const })}
      href={csv.url}
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

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // Browsers begin to save a moment later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
