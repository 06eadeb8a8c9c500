/**
 * What an eye would find on a page without reading it: text that is cut off and told nowhere, cells
 * that run into each other, tables that scroll sideways where the screen is wide, and things to
 * press that are too small for a finger.
 */
import type { Page } from "playwright-core";

/** From here on every table fits. */
const WIDE = 1280;
/** WCAG 2.2, 2.5.8. */
const LEAST_TARGET_PX = 24;

/** None: []. In the page, because all of it is measured there at once. */
export async function layoutFaults(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(`(${LOOK})(${WIDE}, ${LEAST_TARGET_PX})`)) as string[];
}

const LOOK = `(wide, least) => {
  const found = new Set();
  const nameOf = (one) => one.tagName.toLowerCase() + (one.className && typeof one.className === "string" ? "." + one.className.trim().split(/\\s+/).join(".") : "") + " «" + (one.innerText ?? "").trim().replaceAll(/\\s+/g, " ").slice(0, 60) + "»";
  const isSeen = (one) => {
    const { width, height } = one.getBoundingClientRect();
    return width > 1 && height > 1 && one.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
  };
  const isTold = (one) => one.closest("[title]") !== null || one.querySelector("[title]") !== null;
  for (const one of document.querySelectorAll("body *")) {
    if (!isSeen(one) || one.closest("svg, pre, textarea, .unseen") !== null) continue;
    const style = getComputedStyle(one);
    const runsOver = one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0;
    if (runsOver && style.textOverflow === "ellipsis" && style.overflowX !== "visible" && !isTold(one))
      found.add("cut off, and told nowhere: " + nameOf(one));
    if (runsOver && style.overflowX === "visible" && ["TD", "TH", "BUTTON", "A", "DD", "DT", "SUMMARY"].includes(one.tagName) && style.display !== "inline")
      found.add("runs out of its box: " + nameOf(one));
    if (runsOver && innerWidth >= wide && one.matches(".table-scroll"))
      found.add("a table scrolls sideways by " + (one.scrollWidth - one.clientWidth) + " px: " + (one.getAttribute("aria-label") ?? ""));
  }
  for (const one of document.querySelectorAll("button, input:not([type=hidden]), select, summary, [role=tab], [role=button], nav a, a.button, a.btn")) {
    if (!isSeen(one) || one.closest(".unseen") !== null || one.matches(".chart-stop, .segment input, .file-drop input")) continue;
    // Where rows are cards, the head of their table is there for screen readers.
    const head = one.closest("thead");
    if (head !== null && head.getBoundingClientRect().height <= 1) continue;
    const target = one.matches("input[type=checkbox], input[type=radio]") ? (one.closest("label") ?? one.parentElement ?? one) : one;
    const { width, height } = target.getBoundingClientRect();
    if (innerWidth < 860 && (height < least || width < least))
      found.add("too small for a finger (" + Math.round(width) + "×" + Math.round(height) + "): " + nameOf(one));
  }
  return [...found];
}`;
