/** Takes a file by dropping it or by choosing it. */
import { useId, useState } from "react";
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import { Icon } from "./icon.tsx";

interface FileDropProps {
  onFiles(files: readonly File[]): void;
  /** As of an `<input type="file">`: `image/*,.pdf`. */
  readonly accept?: string;
  readonly multiple?: boolean;
  readonly disabled?: boolean;
  readonly hint?: ReactNode;
}

export function FileDrop({
  onFiles,
  accept,
  multiple = false,
  disabled = false,
  hint,
}: FileDropProps): ReactNode {
  const words = useWords();
  const id = useId();
  const [over, setOver] = useState(false);
  const take = (list: FileList | null): void => {
    const files = [...(list ?? [])];
    if (files.length > 0 && !disabled) onFiles(multiple ? files : files.slice(0, 1));
  };
  return (
    <div
      className={over ? "file-drop file-drop-over" : "file-drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files);
      }}
    >
      <input
        id={id}
        className="unseen"
        type="file"
        accept={accept}
        multiple={multiple}
        disabled={disabled}
        onChange={(event) => {
          take(event.target.files);
          event.target.value = "";
        }}
      />
      <label htmlFor={id}>
        <Icon name="upload" /> {words.dropFile}
      </label>
      {hint === undefined ? null : <p className="field-hint">{hint}</p>}
    </div>
  );
}
