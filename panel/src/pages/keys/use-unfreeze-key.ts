/** Lets a frozen key work again: nothing is asked first, because nothing is lost by it. */
import { useMutation } from "@tanstack/react-query";
import { useKeysChanged } from "../../api/account-keys.ts";
import { postApi } from "../../api/call-api.ts";
import { useToasts } from "../../ui/toast.tsx";
import { useKeysTexts } from "./use-keys-texts.ts";

export function useUnfreezeKey(): { readonly busy: boolean; unfreeze(hash: string): void } {
  const t = useKeysTexts();
  const toasts = useToasts();
  const changed = useKeysChanged();
  const change = useMutation({
    mutationFn: (hash: string) => postApi("/keys/{hash}/unfreeze", { params: { hash } }),
    onSuccess: () => {
      changed();
      toasts.done(t.unfrozen);
    },
    onError: (error) => toasts.failed(error),
  });
  return { busy: change.isPending, unfreeze: (hash) => change.mutate(hash) };
}
