/** Files that go out with the call itself: chosen, heard or seen, and taken back. */
import { useEffect, useMemo } from "react";
import type { ReactNode } from "react";
import type { FilePreview } from "../../../../../src/contract/panel/panel-file.ts";
import { useFormats } from "../../../i18n/locale.tsx";
import { useWords } from "../../../i18n/use-words.ts";
import { FileDrop } from "../../../ui/file-drop.tsx";
import { MediaPreview } from "../../../ui/media-preview.tsx";
import { MediaFoot } from "../media-foot.tsx";
import { FieldGroup } from "../tasks/field-group.tsx";
import type { CallField, ChosenFile } from "./call-field.ts";

interface FilesFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly error: string | undefined;
  readonly optional: boolean;
  readonly field: Extract<CallField, { readonly kind: "files" }>;
  readonly chosen: readonly ChosenFile[];
  onChange(chosen: readonly ChosenFile[]): void;
}

export function FilesField({
  label,
  hint = "",
  error,
  optional,
  field: { media, most },
  chosen,
  onChange,
}: FilesFieldProps): ReactNode {
  const words = useWords();
  const empty = chosen.some(({ file }) => file.size === 0) ? words.emptyFile : undefined;
  return (
    <FieldGroup title={label} hint={hint} error={empty ?? error} optional={optional}>
      {chosen.map((one, at) => (
        <OneFile
          key={one.id}
          file={one.file}
          number={at + 1}
          onRemove={() => onChange(chosen.filter(({ id }) => id !== one.id))}
        />
      ))}
      {chosen.length < most ? (
        <FileDrop
          accept={media.map((kind) => `${kind}/*`).join(",")}
          multiple={most - chosen.length > 1}
          onFiles={(files) => {
            const added = files.map((file) => ({ id: crypto.randomUUID(), file }));
            onChange([...chosen, ...added].slice(0, most));
          }}
        />
      ) : null}
    </FieldGroup>
  );
}

interface OneFileProps {
  readonly file: File;
  readonly number: number;
  onRemove(): void;
}

function OneFile({ file, number, onRemove }: OneFileProps): ReactNode {
  const { size } = useFormats();
  const url = useMemo(() => URL.createObjectURL(file), [file]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return (
    <div className="playground-media">
      <MediaPreview file={{ url, name: file.name, preview: previewOf(file) }} />
      <MediaFoot
        label={`${file.name} · ${size(file.size)}`}
        title={file.name}
        number={number}
        onRemove={onRemove}
      />
    </div>
  );
}

/** By the browser's word for it; what it really is, the server reads from its bytes. */
function previewOf({ type }: File): FilePreview {
  const kind = (["image", "video", "audio"] as const).find((one) => type.startsWith(`${one}/`));
  return kind ?? "none";
}
