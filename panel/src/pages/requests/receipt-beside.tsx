/**
 * The receipt of one request beside the list, where there is room, or over it; with the way to the
 * next one and to its own page.
 */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { receiptQuery } from "./receipt-query.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { ReceiptSlip } from "../../ui/receipt/receipt-slip.tsx";
import { useReceiptTexts } from "../../ui/receipt/use-receipt-texts.ts";
import { Sheet } from "../../ui/sheet.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useMedia } from "../../ui/use-media.ts";
import { useWords } from "../../i18n/use-words.ts";
import type { ReceiptWalk } from "./receipt-walk.ts";

/** From here on the list keeps its place. */
export const BESIDE = "(width >= 1280px)";

interface ReceiptBesideProps {
  readonly id: string;
  readonly walk: ReceiptWalk;
  onOpen(id: string): void;
  onClose(): void;
}

export function ReceiptBeside(props: ReceiptBesideProps): ReactNode {
  const t = useReceiptTexts();
  const beside = useMedia(BESIDE);
  if (!beside)
    return (
      <Sheet label={t.receipt} onClose={props.onClose}>
        {/* The page behind it is not there for screen readers, nor is its heading. */}
        <Content {...props} heading={<h1>{t.receipt}</h1>} />
      </Sheet>
    );
  return (
    <section className="requests-beside" aria-label={t.receipt}>
      <Content {...props} heading={<h2>{t.receipt}</h2>} />
    </section>
  );
}

interface ContentProps extends ReceiptBesideProps {
  readonly heading: ReactNode;
}

function Content({ id, walk, heading, onOpen, onClose }: ContentProps): ReactNode {
  const t = useReceiptTexts();
  const words = useWords();
  const query = useQuery(receiptQuery(id));
  const step = (to: string | null, icon: "up" | "down", label: string): ReactNode => (
    <Button
      look="ghost"
      small
      aria-label={label}
      title={label}
      disabled={to === null}
      onClick={() => (to === null ? undefined : onOpen(to))}
    >
      <Icon name={icon} size={16} />
    </Button>
  );
  return (
    <>
      <header className="requests-beside-head">
        {heading}
        {step(walk.newer, "up", t.newer)}
        {step(walk.older, "down", t.older)}
        <Link
          className="button button-ghost button-small"
          to="/requests/$id"
          params={{ id }}
          aria-label={t.openReceipt}
          title={t.openReceipt}
        >
          <Icon name="external" size={16} />
        </Link>
        <Button look="ghost" small aria-label={words.close} title={words.close} onClick={onClose}>
          <Icon name="close" size={16} />
        </Button>
      </header>
      <Loaded query={query} waiting={<Skeleton height={420} />}>
        {(receipt) => <ReceiptSlip receipt={receipt} />}
      </Loaded>
    </>
  );
}
