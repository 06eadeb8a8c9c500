/**
 * An address that may be long: it goes on in the next line behind a slash, and not amid a word as
 * long as that fits.
 */
import { Fragment } from "react";
import type { ReactNode } from "react";

export function WebAddress({ text }: { readonly text: string }): ReactNode {
  return text.split(/(?<=[^/:]\/)/).map((part, at) => (
    <Fragment key={at}>
      {at === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ));
}
