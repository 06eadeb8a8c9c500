/**
 * `/openapi.json` and `/docs`: the description of this very route table, and a viewer for it that
 * loads nothing from anywhere else.
 */
import Type from "typebox";
import type { ViewerScript } from "../docs-viewer.ts";
import type { Answer, Route } from "../route.ts";

export interface DocsRouteDeps {
  /**
   * The whole document; made when it is asked for, because it names the address that the server
   * got.
   */
  openApiDocument(): object;
  viewerScript(): Promise<ViewerScript>;
}

/** The viewer makes styles as it goes, and its `Test Request` may talk to this server only. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Tollgate API</title></head>
<body><div id="app"></div><noscript>The API is described in <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/viewer.js"></script><script src="/docs/start.js"></script></body></html>
`;

/**
 * Everything that would reach for servers other than ours is off; the page's policy would stop it
 * anyway.
 */
const VIEWER_OPTIONS = {
  url: "/openapi.json",
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  hiddenClients: {
    php: true,
    ruby: true,
    clojure: true,
    r: true,
    ocaml: true,
    objc: true,
    powershell: true,
  },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  modelsSectionLabel: "Schemas",
  authentication: { preferredSecurityScheme: "bearer" },
  metaData: { title: "Tollgate API" },
};
const START = `Scalar.createApiReference("#app", ${JSON.stringify(VIEWER_OPTIONS)});\n`;

/** OpenAPI has its own schema, elsewhere. */
const AnyObject = Type.Object({}, { additionalProperties: true });

export function docsRoutes(deps: DocsRouteDeps): Route[] {
  const script = { "text/javascript": Type.String() };
  return [
    {
      method: "GET",
      path: "/openapi.json",
      access: "open",
      doc: {
        operationId: "openapi",
        summary: "This document",
        tag: "Service",
        responses: {
          200: { description: "OpenAPI 3.1.", content: { "application/json": AnyObject } },
        },
        errors: [],
      },
      handle: () => ({
        headers: { "cache-control": "no-cache" },
        content: { json: deps.openApiDocument() },
      }),
    },
    {
      method: "GET",
      path: "/docs",
      access: "open",
      doc: {
        operationId: "docs",
        summary: "This document, to read and to try",
        tag: "Service",
        responses: { 200: { description: "A page.", content: { "text/html": Type.String() } } },
        errors: [],
      },
      handle: () => ({
        headers: { "content-security-policy": POLICY, "referrer-policy": "no-referrer" },
        content: { contentType: "text/html; charset=utf-8", bytes: PAGE },
      }),
    },
    {
      method: "GET",
      path: "/docs/start.js",
      access: "open",
      doc: {
        operationId: "docsStart",
        summary: "Starts the viewer",
        tag: "Service",
        internal: true,
        responses: { 200: { description: "A script.", content: script } },
        errors: [],
      },
      handle: () => ({
        headers: { "cache-control": "no-cache" },
        content: { contentType: "text/javascript; charset=utf-8", bytes: START },
      }),
    },
    {
      method: "GET",
      path: "/docs/viewer.js",
      access: "open",
      doc: {
        operationId: "docsViewer",
        summary: "The viewer",
        tag: "Service",
        internal: true,
        responses: { 200: { description: "A script.", content: script } },
        errors: [],
      },
      async handle({ headers }) {
        return viewerAnswer(
          await deps.viewerScript(),
          headers["if-none-match"],
          headers["accept-encoding"],
        );
      },
    },
  ];
}

function viewerAnswer(
  script: ViewerScript,
  ifNoneMatch: string | undefined,
  acceptEncoding: string | string[] | undefined,
): Answer {
  const headers = { etag: script.etag, vary: "accept-encoding", "cache-control": "no-cache" };
  const contentType = "text/javascript; charset=utf-8";
  if (ifNoneMatch?.includes(script.etag) === true)
    return { status: 304, headers, content: { contentType, bytes: "" } };
  if (!String(acceptEncoding ?? "").includes("gzip"))
    return { headers, content: { contentType, bytes: script.plain } };
  return {
    headers: { ...headers, "content-encoding": "gzip" },
    content: { contentType, bytes: script.gzipped },
  };
}
