/** A window with the request and the response as they went over the line, pictures shortened. */
import { useState } from "react";
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { shortenMedia } from "./shorten-media.ts";
import { usePlaygroundTexts } from "./use-playground-texts.ts";

/** What went over the line, as text. */
export interface Inspected {
  /** JSON. */
  readonly sent: string;
  readonly received: string;
  /** Of HTTP; null: no answer. */
  readonly status: number | null;
}

export function CallInspector({
  exchange: { sent, received, status },
}: {
  readonly exchange: Inspected;
}): ReactNode {
  const t = usePlaygroundTexts();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        small
        look="ghost"
        icon="code"
        aria-label={t.inspect}
        title={t.inspect}
        onClick={() => setOpen(true)}
      >
        <span className="call-inspect">{t.inspect}</span>
      </Button>
      <Dialog
        title={t.inspectTitle}
        description={t.shortened}
        open={open}
        onOpenChange={setOpen}
        wide
      >
        <h3>{t.requestBody}</h3>
        <CodeBlock
          code={shortenMedia(JSON.stringify(JSON.parse(sent), null, 2))}
          label={t.requestBody}
        />
        <h3>{status === null ? t.responseBody : t.responseHead(status)}</h3>
        <CodeBlock code={shortenMedia(received)} label={t.responseBody} />
      </Dialog>
    </>
  );
}
