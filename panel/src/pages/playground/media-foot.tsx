/** Below a chosen picture, film or sound: what it is called, and the button that takes it out. */
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { usePlaygroundTexts } from "./use-playground-texts.ts";

interface MediaFootProps {
  readonly label: string;
  /** In full, where the label is cut. */
  readonly title: string;
  /** Its place among those that are chosen. */
  readonly number: number;
  onRemove(): void;
}

export function MediaFoot({ label, title, number, onRemove }: MediaFootProps): ReactNode {
  const t = usePlaygroundTexts();
  return (
    <div className="playground-media-foot">
      <span className="small playground-cut" title={title}>
        {label}
      </span>
      <Button
        look="ghost"
        small
        icon="trash"
        aria-label={t.removeMedia(number)}
        onClick={onRemove}
      />
    </div>
  );
}
