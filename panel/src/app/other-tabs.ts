/**
 * The tabs of one browser share one session: where it changes in one, the others ask whose it is
 * before they act for another member.
 */

const MARK = "tollgate.session";

/** `begun`: by a log-in; `left`: by a log-out. */
export type SessionChange = "begun" | "left";

/** After a log-in or a log-out in this tab. */
export function tellOtherTabs(change: SessionChange): void {
  // With the time: writing the value that was there already tells the other tabs nothing.
  localStorage.setItem(MARK, `${change} ${Date.now()}`);
}

/** The browser calls it in all tabs but the one that told. Returns what ends it. */
export function hearOtherTabs(onChange: (change: SessionChange) => void): () => void {
  const hear = ({ key, newValue }: StorageEvent): void => {
    if (key === MARK) onChange(newValue?.startsWith("left") === true ? "left" : "begun");
  };
  addEventListener("storage", hear);
  return () => removeEventListener("storage", hear);
}
