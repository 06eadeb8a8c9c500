/**
 * A button that opens a short list of things to do or to choose. What draws the list is fetched
 * when the member is about to open it.
 */
import { Suspense, useState } from "react";
import type { ReactNode } from "react";
import { fetchPart } from "./fetch-part.ts";
import { Icon } from "./icon.tsx";
import { lazyPart } from "./lazy-part.ts";
import type { MenuProps } from "./menu-props.ts";
import type { MenuPopup as Popup } from "./menu-popup.tsx";

const load = async (): Promise<typeof Popup> =>
  (await fetchPart(() => import("./menu-popup.tsx"))).MenuPopup;
const MenuPopup = lazyPart(load);

/** So that it is there by the time of the click; what fails is fetched again then. */
function fetchEarly(): void {
  load().catch(() => undefined);
}

export function Menu(props: MenuProps): ReactNode {
  const [asked, setAsked] = useState(false);
  const closed = (
    <button
      type="button"
      className="button button-ghost button-small"
      aria-label={props.label}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={fetchEarly}
      onFocus={fetchEarly}
      onClick={() => setAsked(true)}
    >
      {props.trigger ?? <Icon name="more" />}
    </button>
  );
  if (!asked) return closed;
  return (
    <Suspense fallback={closed}>
      <MenuPopup {...props} />
    </Suspense>
  );
}
