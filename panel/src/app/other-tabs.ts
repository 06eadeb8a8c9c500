/** The tabs of one browser share one session: where it changes in one, the others ask anew whose it is, before they send anything for somebody else. */

const MARK = "tollgate.session";

/** After a log-in or a log-out in this tab. */
export function tellOtherTabs(): void {
  localStorage.setItem(MARK, String(Date.now()));
}

/** The browser calls it in all tabs but the one that told. */
export function hearOtherTabs(onChange: () => void): void {
  addEventListener("storage", ({ key }) => {
    if (key === MARK) onChange();
  });
}
