/** What a page outside shows when it is done: what happened, and the way to the log-in. */
import type { ReactNode } from "react";
import { ButtonLink } from "../ui/button.tsx";
import { PageHead } from "../ui/page-head.tsx";
import { useAuthTexts } from "./use-auth-texts.ts";

interface OutsideDoneProps {
  readonly title: string;
  readonly text: string;
  readonly hint?: string;
  /** What else can be done here. */
  readonly children?: ReactNode;
}

export function OutsideDone({ title, text, hint, children }: OutsideDoneProps): ReactNode {
  const t = useAuthTexts();
  return (
    <>
      <PageHead title={title} />
      <p role="status">{text}</p>
      {hint === undefined ? null : <p className="quiet small">{hint}</p>}
      <ButtonLink to="/log-in" look="primary" className="button-wide">
        {t.toLogIn}
      </ButtonLink>
      {children}
    </>
  );
}
