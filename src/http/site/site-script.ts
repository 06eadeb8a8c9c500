/**
 * The script of the public pages, as browsers take it. Every page works without: it copies samples,
 * searches while one types, counts anew without a page between, and greets who is logged in.
 */
import { hash } from "node:crypto";

/** Only what the server made is put into the page: texts as text, a part of a page of ours. */
export const SITE_SCRIPT = String.raw`"use strict";
(() => {
  const all = (what, within = document) => [...within.querySelectorAll(what)];
  const words = document.getElementById("site-words").dataset;

  for (const button of all("button[data-copy]")) {
    button.hidden = false;
    const word = button.textContent;
    button.addEventListener("click", async () => {
      const code = button.parentElement.querySelector("pre");
      // Without TLS browsers have no clipboard to write to: what is selected is one key away.
      if (navigator.clipboard === undefined) return getSelection().selectAllChildren(code);
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = words.copied;
      setTimeout(() => { button.textContent = word; }, 1500);
    });
  }

  const search = document.querySelector("input[data-search]");
  if (search !== null) search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase().split(/\s+/);
    for (const table of all("[data-found]")) {
      let shown = 0;
      for (const row of all("tr[data-find]", table)) {
        row.hidden = !wanted.every((word) => row.dataset.find.includes(word));
        if (!row.hidden) shown += 1;
      }
      table.hidden = shown === 0;
    }
    const none = document.querySelector("[data-none]");
    if (none !== null) none.hidden = all("[data-found]").some((table) => !table.hidden);
  });

  const calculator = document.querySelector("form[data-calculator]");
  if (calculator !== null) {
    let asked = 0;
    let waiting = 0;
    const count = async () => {
      const mine = ++asked;
      const address = calculator.getAttribute("action").split("#")[0] + "?" + new URLSearchParams(new FormData(calculator));
      const answer = await fetch(address).catch(() => null);
      if (answer === null || !answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const costs = page.querySelector("[data-costs]");
      if (mine === asked && costs !== null) document.querySelector("[data-costs]").replaceWith(costs);
    };
    calculator.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(count, 250);
    });
    calculator.addEventListener("submit", (event) => {
      event.preventDefault();
      void count();
    });
  }

  const read = async (path) => {
    const answer = await fetch("/panel/api" + path, { headers: { accept: "application/json" } });
    return answer.ok ? answer.json() : null;
  };
  const greet = async () => {
    const visit = await read("/visitor");
    if (visit === null || visit.session === null || visit.session.member.stage !== "full") return;
    document.documentElement.dataset.member = "";
    const places = all("[data-key]");
    if (places.length === 0) return;
    const keys = await read("/keys");
    const key = keys === null ? undefined : keys.data.find(({ state }) => state === "active");
    if (key === undefined) return;
    for (const place of places) place.textContent = key.mask;
    for (const note of all("[data-key-note]")) note.textContent = words.ownKey;
  };
  greet().catch(() => undefined);
})();
`;

export const SITE_SCRIPT_NAME = `site-${hash("sha256", SITE_SCRIPT).slice(0, 16)}.js`;
