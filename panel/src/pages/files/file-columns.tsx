/** What the list of files tells of each. */
import type { PanelListedFile } from "../../../../src/contract/panel/panel-file.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { FilesTexts } from "../../i18n/texts/files.ru.ts";
import { Button, ButtonAnchor } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Thumbnail } from "../../ui/media-preview.tsx";
import { RelativeTime, RowTime } from "../../ui/time.tsx";

/**
 * One without an address is not opened: an operator looks at it who sees as a customer.
 * @param onRemove null: this member may not.
 */
export function fileColumns(
  t: FilesTexts,
  formats: Formats,
  onRemove: ((file: PanelListedFile) => void) | null,
): readonly Column<PanelListedFile>[] {
  return [
    {
      id: "file",
      header: t.file,
      leads: true,
      cell: (file) => (
        <span className="named-media">
          <Thumbnail file={file} />
          <span className="files-name">
            {file.url === "" ? (
              file.fileName
            ) : (
              <a
                href={file.url}
                target="_blank"
                rel="noopener noreferrer"
                title={file.fileName === "" ? file.name : file.fileName}
              >
                {file.fileName === "" ? file.name : file.fileName}
              </a>
            )}
            <span className="quiet small">{measures(file, t, formats)}</span>
          </span>
        </span>
      ),
    },
    { id: "type", header: t.type, cell: (file) => file.contentType },
    {
      id: "size",
      header: t.size,
      align: "end",
      cell: (file) => <span className="figure">{formats.size(file.bytes)}</span>,
    },
    { id: "origin", header: t.origin, cell: (file) => t.origins[file.origin] },
    {
      id: "stored",
      header: formats.inZone(t.stored),
      cell: (file) => <RowTime iso={file.storedAt} />,
    },
    { id: "expires", header: t.expires, cell: (file) => <RelativeTime iso={file.expiresAt} /> },
    {
      id: "actions",
      header: t.actions,
      align: "end",
      cell: (file) => (
        <span className="files-actions">
          {file.url === "" ? null : (
            <>
              <CopyButton text={file.url} label={t.address(file.fileName)} bare />
              <ButtonAnchor
                look="ghost"
                small
                icon="download"
                href={file.url}
                download={file.fileName}
                aria-label={t.downloadOf(file.fileName)}
              />
            </>
          )}
          {onRemove === null ? null : (
            <Button
              look="ghost"
              small
              icon="trash"
              aria-label={t.removeOf(file.fileName)}
              onClick={() => onRemove(file)}
            />
          )}
        </span>
      ),
    },
  ];
}

function measures(
  { width, height, durationSeconds }: PanelListedFile,
  t: FilesTexts,
  formats: Formats,
): string {
  const facts = [
    width === null || height === null ? null : t.pixels(width, height),
    durationSeconds === null ? null : formats.duration(durationSeconds * 1000),
  ];
  return facts.filter((one) => one !== null).join(" · ");
}
