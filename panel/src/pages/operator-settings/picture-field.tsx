/** A picture of the brand: shown, replaced by a file, taken away. */
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { ReactNode } from "react";
import type { BrandImageBody } from "../../../../src/contract/panel/operator-settings.ts";
import { postApi } from "../../api/call-api.ts";
import { useFaults } from "../../i18n/use-faults.ts";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { useInstallationTexts } from "./use-installation-texts.ts";

interface PictureFieldProps {
  readonly use: BrandImageBody["use"];
  readonly label: string;
  readonly hint: string;
  /** As the settings call it; null: none. */
  readonly value: string | null;
  onChange(value: string | null): void;
}

/** As the server takes it, before base64. */
const MAX_BYTES = 500_000;

export function PictureField({ use, label, hint, value, onChange }: PictureFieldProps): ReactNode {
  const t = useInstallationTexts();
  const words = useWords();
  const faults = useFaults();
  const id = useId();
  const [tooLarge, setTooLarge] = useState(false);
  const keep = useMutation({
    mutationFn: async (file: File) =>
      postApi("/operator/settings/images", { body: { use, data: await base64Of(file) } }),
    onSuccess: ({ picture }) => onChange(picture),
  });
  const error = tooLarge
    ? t.tooLarge
    : keep.error === null
      ? undefined
      : (faults.ofField(keep.error, "data") ?? faults.sentence(keep.error));
  return (
    <div className="field" role="group" aria-labelledby={id}>
      <span className="field-label" id={id}>
        {label}
      </span>
      {value === null ? null : (
        <div className="settings-picture">
          <img src={`/panel/brand/${value}.png`} alt={label} />
          <Button look="ghost" small icon="trash" onClick={() => onChange(null)}>
            {words.delete}
          </Button>
        </div>
      )}
      <FileDrop
        accept="image/png,image/jpeg,image/webp"
        disabled={keep.isPending}
        hint={hint}
        onFiles={([file]) => {
          if (file === undefined) return;
          setTooLarge(file.size > MAX_BYTES);
          if (file.size <= MAX_BYTES) keep.mutate(file);
        }}
      />
      {error === undefined ? null : (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
