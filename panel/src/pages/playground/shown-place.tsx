/**
 * What came of a form: where it lies out of sight, below the form on phones, the member who sent it
 * is shown it.
 */
import { useEffect, useRef } from "react";
import type { ReactNode } from "react";

interface ShownPlaceProps {
  /** Another one is shown anew. */
  readonly of: string;
  readonly children: ReactNode;
}

export function ShownPlace({ of, children }: ShownPlaceProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const top = place.current?.getBoundingClientRect().top ?? 0;
    // What newer browsers give back for it is a promise, and no way to take the effect back.
    if (top < 0 || top > innerHeight / 2) place.current?.scrollIntoView({ block: "start" });
  }, [of]);
  return (
    <div ref={place} className="playground-ordered">
      {children}
    </div>
  );
}
