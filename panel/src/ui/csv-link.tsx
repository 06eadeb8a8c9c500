/**
 * A link that saves a table as a file for spreadsheets, and says so where it cannot: of a download
 * a browser only tells that it failed, so the list is asked for first. The file itself goes to the
 * disk as it comes, however long it is.
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
  const fileName = ["tollgate", ...name].filter((part) => part !== "").join("-");
  const csv = csvFile(path, query, { language, timezone, fileName });
  const saving = useMutation({
    mutationFn: () => csv.check(),
    onSuccess: () => download(csv.url, `${fileName}.csv`),
    onError: (error) => toasts.failed(error),
  });
  return (
    <ButtonAnchor
      {...(saving.isPending ? {} : { icon: "download" as const })}
      href={csv.url}
      download={`${fileName}.csv`}
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

function download(url: string, name: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}
