/** Loads the page anew when a part of it is gone because the server was updated meanwhile; once, so that a real fault shows itself. */

const RELOADED_AT = "tollgate.reloaded";
const ONCE_IN_MS = 60_000;

export function reloadAfterUpdate(): void {
  addEventListener("vite:preloadError", (event) => {
    const last = Number(sessionStorage.getItem(RELOADED_AT) ?? "0");
    if (Date.now() - last < ONCE_IN_MS) return;
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    event.preventDefault();
    location.reload();
  });
}
