/** The public pages over a catalogue and a brand that a test gives, asked as browsers do. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { ServiceStatus } from "../../src/business/operate/service-status.ts";
import { listAccountModels } from "../../src/business/panel/account/list-account-models.ts";
import { DEFAULT_INSTALLATION } from "../../src/business/settings/default-installation.ts";
import type { Catalogue } from "../../src/catalogue/catalogue.ts";
import type { Installation } from "../../src/contract/panel/installation.ts";
import { openApiDocument } from "../../src/http/openapi-document.ts";
import { callRoutes } from "../../src/http/routes/calls.ts";
import { chatCompletionsRoute } from "../../src/http/routes/chat-completions.ts";
import { compactRoute, responsesRoute } from "../../src/http/routes/responses.ts";
import { siteRoutes } from "../../src/http/site/site-routes.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { openPanelEndpoint } from "../support/panel-endpoint.ts";
import { readCatalogue } from "../support/read-catalogue.ts";

export interface SiteAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Unpacked. */
  readonly text: string;
  /** On the wire. */
  readonly sizeBytes: number;
}

export interface SiteScene extends AsyncDisposable {
  readonly url: string;
  /** What is shown may be changed at any time. */
  readonly shown: {
    catalogue: Catalogue;
    version: number;
    installation: Installation;
    status: ServiceStatus | null;
    ready: boolean;
  };
  /** A page, as a browser that takes nothing packed, unless something else is said. */
  ask(path: string, headers?: Readonly<Record<string, string>>): Promise<SiteAnswer>;
}

/** Of the catalogue that is shipped, too. */
export const ENV = {
  KEY: "secret-of-the-supplier",
  SANDBOX_URL: "http://127.0.0.1:9",
  SANDBOX_API_KEY: "k",
};

export function catalogueOf(source: string): Catalogue {
  const reading = readCatalogue(source, ENV);
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.catalogue;
}

/** A part of the API; all of it is described by a gateway that runs (docs-site.test.ts). */
const DESCRIBED = [chatCompletionsRoute, responsesRoute, compactRoute, ...callRoutes];
const CHANGELOG = `# Changelog

For those who write it.

## Unreleased

### Added

- \`POST /v1/rerank\` as **Cohere** shaped it
  ([the API](docs/api.md#rerank), [elsewhere](https://example.com/rerank)).
- What was called «Песочница» is text: <script>alert(7)</script>.

## 0.1.0

The first version: chat
and tasks.
`;

export async function openSiteScene(catalogue: Catalogue): Promise<SiteScene> {
  const shown: SiteScene["shown"] = {
    catalogue,
    version: 7,
    installation: DEFAULT_INSTALLATION,
    status: null,
    ready: true,
  };
  let url = "";
  const endpoint = await openPanelEndpoint(
    siteRoutes({
      parts: {
        models: () => listAccountModels({ version: shown.version, catalogue: shown.catalogue }),
        installation: async () => shown.installation,
        status: async () => shown.status,
        tokens: ":root { --ground: #fff; }",
        changelog: CHANGELOG,
      },
      readiness: async () => ({ ok: shown.ready }),
      describeApi: () => openApiDocument({ routes: DESCRIBED, baseUrl: url, version: "0" }),
      baseUrl: () => url,
      clock: systemClock,
    }),
  );
  ({ url } = endpoint);
  return {
    url,
    shown,
    ask: (path, headers = {}) => ask(`${url}${path}`, { accept: "text/html", ...headers }),
    [Symbol.asyncDispose]: () => endpoint.close(),
  };
}

/** As it is on the wire; `fetch` would unpack it. */
function ask(address: string, headers: Readonly<Record<string, string>>): Promise<SiteAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<SiteAnswer>();
  const outgoing = request(address, { headers }, (response) => {
    const parts: Buffer[] = [];
    response.on("data", (part: Buffer) => parts.push(part));
    response.on("end", () => {
      const bytes = Buffer.concat(parts);
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: unpacked(bytes, response.headers["content-encoding"]).toString("utf8"),
        sizeBytes: bytes.length,
      });
    });
  });
  outgoing.on("error", reject);
  outgoing.end();
  return promise;
}

function unpacked(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === "br") return brotliDecompressSync(bytes);
  return encoding === "gzip" ? gunzipSync(bytes) : bytes;
}
