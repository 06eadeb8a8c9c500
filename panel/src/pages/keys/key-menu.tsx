/** What can be done to a key, from its row in the list. */
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { PanelKey } from "../../../../src/contract/panel/panel-key.ts";
import { useWords } from "../../i18n/use-words.ts";
import { copyText } from "../../ui/copy-text.ts";
import { Menu } from "../../ui/menu.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { mayRoll } from "./key-dialogs.tsx";
import type { KeyDialog } from "./key-dialogs.tsx";
import { useKeysTexts } from "./use-keys-texts.ts";
import { useUnfreezeKey } from "./use-unfreeze-key.ts";

interface KeyMenuProps {
  readonly of: PanelKey;
  /** Null: this member may only look. */
  readonly onAsk: ((asked: KeyDialog, of: PanelKey) => void) | null;
}

export function KeyMenu({ of: key, onAsk }: KeyMenuProps): ReactNode {
  const t = useKeysTexts();
  const words = useWords();
  const toasts = useToasts();
  const navigate = useNavigate();
  const { unfreeze } = useUnfreezeKey();
  const { hash, name, mask, state, frozenAt } = key;
  const ask = onAsk === null || state === "deleted" ? null : onAsk;
  return (
    <Menu
      label={t.menuOf(name)}
      items={[
        {
          label: t.copyMask,
          icon: "copy",
          onSelect: () =>
            void copyText(mask).then((copied) => {
              if (copied) toasts.done(words.copied);
            }),
        },
        {
          label: t.requests,
          icon: "list",
          onSelect: () => void navigate({ to: "/requests", search: { keyHash: hash } }),
        },
        ...(ask === null
          ? []
          : [
              { label: t.edit, icon: "gear" as const, onSelect: () => ask("edit", key) },
              ...(mayRoll(key)
                ? [{ label: t.roll, icon: "again" as const, onSelect: () => ask("roll", key) }]
                : []),
              frozenAt === null
                ? { label: t.freeze, icon: "stop" as const, onSelect: () => ask("freeze", key) }
                : { label: t.unfreeze, icon: "play" as const, onSelect: () => unfreeze(hash) },
              {
                label: t.remove,
                icon: "trash" as const,
                danger: true,
                onSelect: () => ask("delete", key),
              },
            ]),
      ]}
    />
  );
}
