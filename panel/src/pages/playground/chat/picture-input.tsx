/** The button that adds pictures to a message. */
import { useId } from "react";
import type { ReactNode } from "react";
import { Icon } from "../../../ui/icon.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { PICTURE_TYPES, type Pictures } from "./use-pictures.ts";

export function PictureInput({
  pictures: { limits, take },
}: {
  readonly pictures: Pictures;
}): ReactNode {
  const t = usePlaygroundTexts();
  const id = useId();
  return (
    <div className="chat-attach">
      <input
        id={id}
        className="unseen"
        type="file"
        accept={PICTURE_TYPES.join(",")}
        multiple
        aria-describedby={`${id}-limits`}
        onChange={(event) => {
          take([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <label htmlFor={id} className="button button-ghost" title={`${t.attach}: ${limits}`}>
        <Icon name="image" size={18} /> <span className="unseen">{t.attach}</span>
      </label>
      <span id={`${id}-limits`} className="unseen">
        {limits}
      </span>
    </div>
  );
}
