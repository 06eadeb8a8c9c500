/**
 * Puts a text on the clipboard, also where the page was reached over plain HTTP and the browser has
 * no clipboard for it.
 */

/** False: the browser does not let us. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** As people do it: selected, and copied by the browser's own command. */
function copySelected(text: string): boolean {
  const before = document.activeElement;
  const area = document.createElement("textarea");
  area.className = "unseen";
  area.value = text;
  // Beside what has the focus: a window that is open keeps it to itself.
  (before?.parentElement ?? document.body).append(area);
  area.select();
  // oxlint-disable-next-line typescript/no-deprecated -- without TLS browsers have nothing else
  const copied = document.execCommand("copy");
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return copied;
}
