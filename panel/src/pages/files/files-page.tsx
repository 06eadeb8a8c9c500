/** The account's files: what there is and how much room it takes, uploads and deletions. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import type { PanelFileList, PanelListedFile } from "../../../../src/contract/panel/panel-file.ts";
import { deleteApi } from "../../api/call-api.ts";
import { pagesKey, usePages } from "../../api/use-pages.ts";
import { useMay } from "../../app/session.ts";
import { useFormats, useTexts } from "../../i18n/locale.tsx";
import { filesEn } from "../../i18n/texts/files.en.ts";
import { filesRu } from "../../i18n/texts/files.ru.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { UploadDrop } from "../../ui/upload-drop.tsx";
import { fileColumns } from "./file-columns.tsx";
import "./files.css";

const TEXTS = { ru: filesRu, en: filesEn };

export function Component(): ReactNode {
  const t = useTexts(TEXTS);
  const formats = useFormats();
  const toasts = useToasts();
  const client = useQueryClient();
  const mayChange = useMay("manager");
  const pages = usePages("/files");
  const [leaving, setLeaving] = useState<PanelListedFile | null>(null);
  const readAgain = (): void => void client.invalidateQueries({ queryKey: pagesKey("/files") });
  const remove = useMutation({
    mutationFn: (file: PanelListedFile) =>
      deleteApi("/files/{name}", { params: { name: file.name } }),
    onSuccess: () => {
      setLeaving(null);
      toasts.done(t.removed);
      readAgain();
    },
  });
  const columns = useMemo(
    () => fileColumns(t, formats, mayChange ? setLeaving : null),
    [t, formats, mayChange],
  );
  // What the pages of this list carry besides their rows.
  const storage = (pages.query.data?.pages[0] as PanelFileList | undefined)?.storage;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      {storage === undefined ? null : (
        <div className="files-storage">
          <span>
            {t.used}:{" "}
            <b className="figure">
              {t.of(formats.size(storage.usedBytes), formats.size(storage.limitBytes))}
            </b>
          </span>
          <progress
            aria-label={t.usage}
            value={storage.usedBytes}
            max={Math.max(storage.limitBytes, 1)}
          />
        </div>
      )}
      {mayChange && storage !== undefined ? (
        <UploadDrop
          multiple
          hint={t.uploadHint(formats.size(storage.uploadLimitBytes))}
          onUploaded={() => {
            toasts.done(t.uploaded);
            readAgain();
          }}
        />
      ) : null}
      <CursorList
        pages={pages}
        caption={t.caption}
        columns={columns}
        rowKey={({ name }) => name}
        empty={
          <EmptyState
            title={t.emptyTitle}
            text={t.emptyText}
            action={
              <ButtonLink to="/playground" search={{ tab: "tasks" }}>
                {t.openPlayground}
              </ButtonLink>
            }
          />
        }
      />
      <ConfirmDialog
        title={leaving === null ? "" : t.removeTitle(leaving.fileName)}
        description={t.removeText}
        action={t.removeAction}
        open={leaving !== null}
        onOpenChange={(open) => {
          if (!open) {
            setLeaving(null);
            remove.reset();
          }
        }}
        onConfirm={() => {
          if (leaving !== null) remove.mutate(leaving);
        }}
        busy={remove.isPending}
        error={remove.error}
      />
    </>
  );
}
