/** What a person agrees to who comes in, as the operator worded it: boxes that are empty at first. */
import { useState } from "react";
import type { ReactNode } from "react";
import type { AcceptBody } from "../../../src/contract/panel/sessions.ts";
import { useInstallation } from "../api/installation.ts";
import { useLocale } from "../i18n/locale.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import { LinkedText } from "../ui/linked-text.tsx";
import { useAuthTexts } from "./use-auth-texts.ts";

export interface Consents {
  readonly agreed: NonNullable<AcceptBody["consents"]>;
  /** All that has to be agreed to is. */
  readonly enough: boolean;
  readonly boxes: ReactNode;
}

export function useConsents(): Consents {
  const t = useAuthTexts();
  const { language } = useLocale();
  const { consents } = useInstallation().signUp;
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  // Another wording, which came while the page was open, is another box.
  const keyOf = ({ consentId, version }: (typeof consents)[number]): string =>
    `${consentId} ${version}`;
  const tick = (key: string, on: boolean): void =>
    setTicked((before) => new Set([...before].filter((one) => one !== key).concat(on ? key : [])));
  return {
    agreed: consents
      .filter((consent) => ticked.has(keyOf(consent)))
      .map(({ consentId, version }) => ({ consentId, version })),
    enough: consents.every((consent) => !consent.required || ticked.has(keyOf(consent))),
    boxes:
      consents.length === 0 ? null : (
        <div className="stack">
          {consents.map((consent) => (
            <Checkbox
              key={keyOf(consent)}
              label={<LinkedText text={consent[language]} />}
              hint={consent.required ? undefined : t.ifYouLike}
              checked={ticked.has(keyOf(consent))}
              onChange={(on) => tick(keyOf(consent), on)}
            />
          ))}
        </div>
      ),
  };
}
