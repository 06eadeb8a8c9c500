/**
 * Loads the page anew when a part of it is gone because the server was updated meanwhile; never for
 * want of a network, which would take away what is on the page.
 */

const RELOADED_AT = "tollgate.reloaded";
/** Once, so that a real fault shows itself. */
const ONCE_IN_MS = 60_000;

export function reloadAfterUpdate(): void {
  addEventListener("vite:preloadError", () => void reloadWhereUpdated());
}

async function reloadWhereUpdated(): Promise<void> {
  const last = Number(sessionStorage.getItem(RELOADED_AT) ?? "0");
  if (Date.now() - last < ONCE_IN_MS || !(await isUpdated())) return;
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  location.reload();
}

/**
 * Whether the server's panel begins with another script than this one did; false where it does not
 * answer.
 */
async function isUpdated(): Promise<boolean> {
  const own = document.querySelector('script[type="module"]')?.getAttribute("src") ?? "";
  const page = await fetch("/panel/", { cache: "no-store" }).then(
    (response) => (response.ok ? response.text() : own),
    () => own,
  );
  return !page.includes(own);
}
