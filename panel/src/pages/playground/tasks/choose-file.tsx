/** A window with the account's files of one kind, to choose one from. */
import type { ReactNode } from "react";
import { Dialog } from "../../../ui/dialog.tsx";
import { Thumbnail } from "../../../ui/media-preview.tsx";
import type { PreviewedFile } from "../../../ui/media-preview.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import type { FieldMedia } from "./field-bounds.ts";
import { useTaskForm } from "./task-form-context.ts";

interface ChooseFileProps {
  readonly open: boolean;
  onOpenChange(open: boolean): void;
  readonly kind: FieldMedia["kind"] | undefined;
  onChoose(file: PreviewedFile): void;
}

export function ChooseFile({ open, onOpenChange, kind, onChoose }: ChooseFileProps): ReactNode {
  const t = usePlaygroundTexts();
  const files = useTaskForm().files.filter(({ preview }) => kind === undefined || preview === kind);
  return (
    <Dialog title={t.chooseFileTitle} open={open} onOpenChange={onOpenChange} wide>
      {files.length === 0 ? (
        <p className="quiet">{t.noFiles}</p>
      ) : (
        <div className="playground-files">
          {files.map((file) => (
            <button
              key={file.url}
              type="button"
              className="playground-file"
              onClick={() => onChoose(file)}
            >
              <Thumbnail file={file} />
              <span className="small">{file.name}</span>
            </button>
          ))}
        </div>
      )}
    </Dialog>
  );
}
