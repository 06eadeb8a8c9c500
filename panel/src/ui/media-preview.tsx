/**
 * A picture, film or sound of ours: small beside its name, or large with its controls. Its name is
 * text, its bytes are never a page.
 */
import { useState } from "react";
import type { ReactNode } from "react";
import type { FilePreview } from "../../../src/contract/panel/panel-file.ts";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon-paths.ts";

export interface PreviewedFile {
  readonly url: string;
  readonly name: string;
  readonly preview: FilePreview;
}

const ICONS: Readonly<Record<FilePreview, IconName>> = {
  image: "image",
  video: "film",
  audio: "sound",
  none: "file",
};

/** Beside a name, which tells what it is: hidden from screen readers. */
export function Thumbnail({
  file: { url, preview },
}: {
  readonly file: Pick<PreviewedFile, "url" | "preview">;
}): ReactNode {
  const [broken, setBroken] = useState(false);
  const fail = (): void => setBroken(true);
  if (preview === "image" && !broken)
    return <img className="thumbnail" src={url} alt="" loading="lazy" onError={fail} />;
  if (preview === "video" && !broken) {
    return (
      <video
        className="thumbnail"
        src={url}
        preload="metadata"
        muted
        playsInline
        tabIndex={-1}
        aria-hidden="true"
        onError={fail}
      />
    );
  }
  return (
    <span className="thumbnail">
      <Icon name={ICONS[preview]} />
    </span>
  );
}

export function MediaPreview({
  file: { url, name, preview },
}: {
  readonly file: PreviewedFile;
}): ReactNode {
  if (preview === "image") return <img className="media-preview" src={url} alt={name} />;
  // What was made or uploaded has no captions that anybody knows of.
  if (preview === "video")
    return (
      // oxlint-disable-next-line jsx-a11y/media-has-caption
      <video
        className="media-preview"
        src={url}
        controls
        preload="metadata"
        playsInline
        aria-label={name}
      />
    );
  if (preview === "audio")
    return (
      // oxlint-disable-next-line jsx-a11y/media-has-caption
      <audio className="media-preview" src={url} controls preload="metadata" aria-label={name} />
    );
  return <Thumbnail file={{ url, preview }} />;
}
