/** The account's batches: how far each is, what it costs, and the way to stop it. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import type { PanelBatch } from "../../../../src/contract/panel/panel-batch.ts";
import { postApi } from "../../api/call-api.ts";
import { pagesKey, usePages } from "../../api/use-pages.ts";
import { useMay } from "../../app/session.ts";
import { useFormats, useTexts } from "../../i18n/locale.tsx";
import { batchesEn } from "../../i18n/texts/batches.en.ts";
import { batchesRu } from "../../i18n/texts/batches.ru.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { batchColumns, mayStop } from "./batch-columns.tsx";

const TEXTS = { ru: batchesRu, en: batchesEn };
const LOOK_AGAIN_MS = 5_000;

export function Component(): ReactNode {
  const t = useTexts(TEXTS);
  const formats = useFormats();
  const toasts = useToasts();
  const client = useQueryClient();
  const isManager = useMay("manager");
  const pages = usePages("/batches");
  const [stopping, setStopping] = useState<PanelBatch | null>(null);
  const stop = useMutation({
    mutationFn: (batch: PanelBatch) =>
      postApi("/batches/{id}/cancel", { params: { id: batch.id } }),
    onSuccess: () => {
      setStopping(null);
      toasts.done(t.stopped);
      void client.invalidateQueries({ queryKey: pagesKey("/batches") });
    },
  });
  const stops = isManager && pages.rows?.some(mayStop) === true;
  const columns = useMemo(
    () => batchColumns(t, formats, stops ? setStopping : null),
    [t, formats, stops],
  );
  const underWay = pages.rows?.some(({ endedAt }) => endedAt === null) === true;
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <CursorList
        pages={pages}
        everyMs={underWay ? LOOK_AGAIN_MS : undefined}
        caption={t.caption}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t.emptyTitle} text={t.emptyText} />}
      />
      <ConfirmDialog
        title={t.stopTitle}
        description={t.stopText}
        action={t.stopAction}
        open={stopping !== null}
        onOpenChange={(open) => {
          if (!open) {
            setStopping(null);
            stop.reset();
          }
        }}
        onConfirm={() => {
          if (stopping !== null) stop.mutate(stopping);
        }}
        busy={stop.isPending}
        error={stop.error}
      />
    </>
  );
}
