/** What a task made: each file large, with its measures, to be taken along. */
import type { ReactNode } from "react";
import type { PanelTask } from "../../../../src/contract/panel/panel-task.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { ButtonAnchor } from "../button.tsx";
import { CopyButton } from "../copy-button.tsx";
import { MediaPreview } from "../media-preview.tsx";
import { Time } from "../time.tsx";
import { useTaskTexts } from "./use-task-texts.ts";

export function TaskResults({ files }: Pick<PanelTask, "files">): ReactNode {
  const t = useTaskTexts();
  const { size, duration } = useFormats();
  return (
    <div className="results">
      {files.map((file, at) => (
        <figure key={file.name} className="result">
          <MediaPreview file={{ url: file.url, preview: file.preview, name: t.resultOf(at + 1) }} />
          <figcaption className="small">
            {[
              file.contentType,
              size(file.bytes),
              file.width === null || file.height === null ? "" : t.pixels(file.width, file.height),
              file.durationSeconds === null ? "" : duration(file.durationSeconds * 1000),
            ]
              .filter((line) => line !== "")
              .join(" · ")}
            <br />
            <span className="quiet">
              {t.expires} <Time iso={file.expiresAt} />
            </span>
          </figcaption>
          <div className="row">
            <ButtonAnchor small icon="download" href={file.url} download={file.name}>
              {t.download}
            </ButtonAnchor>
            <CopyButton text={file.url} label={t.addressOf(file.name)} />
          </div>
        </figure>
      ))}
    </div>
  );
}
