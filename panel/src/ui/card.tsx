/** A part of a page on its own ground. */
import type { ReactNode } from "react";

interface CardProps {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}

export function Card({ title, actions, children, className = "" }: CardProps): ReactNode {
  return (
    <section className={`card ${className}`.trim()}>
      {title === undefined && actions === undefined ? null : (
        <header className="card-head">
          {title === undefined ? <span /> : <h2>{title}</h2>}
          {actions === undefined ? null : <div className="row">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}
