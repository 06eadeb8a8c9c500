/** The place of a page that is not built yet: one model with its prices. */
import type { ReactNode } from "react";
import { PlaceOfPage } from "../../app/place-of-page.tsx";

export function Component(): ReactNode {
  return <PlaceOfPage name="models" />;
}
