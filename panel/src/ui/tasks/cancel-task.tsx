/** Cancels a task that runs, after asking, and says what became of it. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { postApi } from "../../api/call-api.ts";
import { taskKey } from "../../api/use-task.ts";
import { Button } from "../button.tsx";
import { ConfirmDialog } from "../confirm-dialog.tsx";
import { useToasts } from "../toast.tsx";
import { useTaskTexts } from "./use-task-texts.ts";

export function CancelTask({ taskId }: { readonly taskId: string }): ReactNode {
  const t = useTaskTexts();
  const toasts = useToasts();
  const client = useQueryClient();
  const [asked, setAsked] = useState(false);
  const cancel = useMutation({
    mutationFn: () => postApi("/tasks/{id}/cancel", { params: { id: taskId } }),
    onSuccess: ({ outcome, task }) => {
      setAsked(false);
      client.setQueryData(taskKey(taskId), task);
      void client.invalidateQueries({ queryKey: ["overview"] });
      toasts.done(t.cancelOutcomes[outcome]);
    },
  });
  return (
    <>
      <Button icon="stop" onClick={() => setAsked(true)}>
        {t.cancel}
      </Button>
      <ConfirmDialog
        title={t.cancelTitle}
        description={t.cancelText}
        action={t.cancelAction}
        open={asked}
        onOpenChange={setAsked}
        onConfirm={() => cancel.mutate()}
        busy={cancel.isPending}
        error={cancel.error}
      />
    </>
  );
}
