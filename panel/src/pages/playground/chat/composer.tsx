/**
 * Where the next message is written, with pictures, and sent; or the answer that is coming is
 * stopped.
 */
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { TextArea } from "../../../ui/text-area.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";
import { PictureInput } from "./picture-input.tsx";
import type { Draft } from "./use-drafted-request.ts";

interface ComposerProps {
  readonly draft: Draft;
  onDraft(draft: Draft): void;
  readonly running: boolean;
  readonly ready: boolean;
  onSend(draft: Draft): void;
  onStop(): void;
}

export function Composer({
  draft,
  onDraft,
  running,
  ready,
  onSend,
  onStop,
}: ComposerProps): ReactNode {
  const t = usePlaygroundTexts();
  const sendable = ready && !running && (draft.text.trim() !== "" || draft.pictures.length > 0);
  const send = (): void => {
    if (sendable) onSend(draft);
  };
  return (
    <form
      className="chat-composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <TextArea
        label={t.message}
        quietLabel
        rows={3}
        placeholder={t.messagePlaceholder}
        value={draft.text}
        onChange={(text) => onDraft({ ...draft, text })}
        onKeyDown={(event) => {
          // While a word is being put together by an input method, Enter belongs to that.
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <PictureInput
        pictures={draft.pictures}
        onChange={(pictures) => onDraft({ ...draft, pictures })}
      />
      <div className="form-actions">
        {running ? (
          <Button icon="stop" onClick={onStop}>
            {t.stopAnswer}
          </Button>
        ) : (
          <Button look="primary" type="submit" icon="send" disabled={!sendable}>
            {t.send}
          </Button>
        )}
      </div>
    </form>
  );
}
