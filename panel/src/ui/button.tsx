/** A button, and a link that looks like one. */
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon-paths.ts";

interface Look {
  /** `primary`: the one thing to do here; `danger`: cannot be taken back. */
  readonly look?: "primary" | "secondary" | "ghost" | "danger";
  readonly small?: boolean;
  readonly icon?: IconName;
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement>, Look {
  /** Works at it: shows so, and takes no second press. */
  readonly busy?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

function classOf({ look = "secondary", small = false }: Look, more = ""): string {
  return `button button-${look}${small ? " button-small" : ""} ${more}`.trim();
}

export function Button({
  look,
  small,
  icon,
  busy = false,
  className,
  children,
  disabled,
  type = "button",
  ...rest
}: ButtonProps): ReactNode {
  return (
    <button
      {...rest}
      // oxlint-disable-next-line react/button-has-type -- its type says which there are
      type={type}
      className={classOf({ ...(look && { look }), ...(small && { small }) }, className)}
      aria-busy={busy}
      disabled={disabled === true || busy}
    >
      {busy ? (
        <span className="spinner" aria-hidden="true" />
      ) : icon === undefined ? null : (
        <Icon name={icon} size={16} />
      )}
      {children}
    </button>
  );
}

interface AnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement>, Look {
  readonly ref?: Ref<HTMLAnchorElement>;
}

function Anchor({ look, small, icon, className, children, ...rest }: AnchorProps): ReactNode {
  return (
    <a {...rest} className={classOf({ ...(look && { look }), ...(small && { small }) }, className)}>
      {icon === undefined ? null : <Icon name={icon} size={16} />}
      {children}
    </a>
  );
}

/** To a page of the panel: `<ButtonLink to="/keys">`. */
export const ButtonLink = createLink(Anchor);

/** To anything else: a download, the documentation. */
export function ButtonAnchor(props: AnchorProps): ReactNode {
  return <Anchor {...props} />;
}
