/** The pages for people who open the address in a browser: where things are, and that the panel is not here yet. */
import Type from "typebox";
import { page } from "../page.ts";
import type { Answer, Route } from "../route.ts";

const PLACES: readonly (readonly [path: string, what: string])[] = [
  ["/docs", "the API, to read and to try"],
  ["/openapi.json", "the same for programs (OpenAPI 3.1)"],
  ["/healthz", "is the process alive"],
  ["/readyz", "does it take requests"],
  ["/panel", "the account panel (not in this version)"],
];

const PANEL = `<h1>Панель</h1>
<p>Панель не входит в эту версию Tollgate. Пока аккаунты, ключи и пополнения ведутся из командной строки на сервере: <code>npx tollgate --help</code>. Баланс и список запросов отдаёт и API: <code>GET /v1/balance</code>, <code>GET /v1/requests</code>. Описание API: <a href="/docs">/docs</a>.</p>
<div lang="en"><h1>Panel</h1>
<p>The panel is not part of this version of Tollgate. For now accounts, keys and top-ups are kept from the command line on the server: <code>npx tollgate --help</code>. The balance and the list of requests are in the API too: <code>GET /v1/balance</code>, <code>GET /v1/requests</code>. The API is described at <a href="/docs">/docs</a>.</p></div>`;

export function pagesRoutes(): Route[] {
  const html = { "text/html": Type.String() };
  return [
    {
      method: "GET",
      path: "/",
      access: "open",
      doc: {
        operationId: "index",
        summary: "Where things are",
        tag: "Service",
        responses: { 200: { description: "A short page, or plain text.", content: { ...html, "text/plain": Type.String() } } },
        errors: [],
      },
      handle: ({ headers }) => index(headers.accept ?? ""),
    },
    {
      method: "GET",
      path: "/panel",
      access: "open",
      doc: {
        operationId: "panel",
        summary: "The account panel",
        description: "Not part of this version.",
        tag: "Service",
        responses: { 200: { description: "A page.", content: html } },
        errors: [],
      },
      handle: () => page("Tollgate", "ru", PANEL),
    },
  ];
}

function index(accept: string): Answer {
  const intro =
    "Tollgate, a paid model gateway. Send your API key as x-api-key or as a Bearer token to POST /v1/chat/completions (OpenAI) or POST /v1/messages (Anthropic).";
  if (!accept.includes("text/html")) {
    return {
      headers: { vary: "accept" },
      content: {
        contentType: "text/plain; charset=utf-8",
        bytes: `${intro}\n\n${PLACES.map(([path, what]) => `${path.padEnd(14)} ${what}\n`).join("")}`,
      },
    };
  }
  const links = PLACES.map(([path, what]) => `<li><a href="${path}">${path}</a>: ${what}</li>`).join("\n");
  const answer = page("Tollgate", "en", `<h1>Tollgate</h1>\n<p>${intro}</p>\n<ul>\n${links}\n</ul>`);
  return { ...answer, headers: { ...answer.headers, vary: "accept" } };
}
