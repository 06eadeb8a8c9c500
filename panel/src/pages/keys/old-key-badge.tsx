/**
 * On a key whose place another one of the same name took: that it is the old one, and when it
 * stops.
 */
import type { ReactNode } from "react";
import type { PanelKey } from "../../../../src/contract/panel/panel-key.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Badge } from "../../ui/badge.tsx";
import { useKeysTexts } from "./use-keys-texts.ts";

export function OldKeyBadge({
  of: { rolledTo, state, expiresAt },
}: {
  readonly of: PanelKey;
}): ReactNode {
  const t = useKeysTexts();
  const { relative, time } = useFormats();
  if (rolledTo === null) return null;
  const stops = (state === "active" || state === "frozen") && expiresAt !== null ? expiresAt : null;
  return (
    <span title={stops === null ? undefined : time(stops)}>
      <Badge tone="warn">{stops === null ? t.oldKey : t.oldKeyStops(relative(stops))}</Badge>
    </span>
  );
}
