/**
 * The routes that machines ask before they trust us with anything: is it alive, is it ready, what
 * do the figures say.
 */
import Type from "typebox";
import { Health, Readiness } from "../../contract/health.ts";
import { Fault } from "../../kernel/faults.ts";
import { createIpMatcher } from "../../keys/ip-ranges.ts";
import type { Metrics } from "../metrics.ts";
import type { Answer, Route, RouteCall } from "../route.ts";

export interface ReadinessReport {
  readonly ok: boolean;
  /** What was looked at: `ok`, or what is wrong, without internals. */
  readonly checks: Readonly<Record<string, string>>;
}

export interface ServiceRouteDeps {
  readiness(): Promise<ReadinessReport>;
  readonly metrics: Pick<Metrics, "render" | "contentType">;
}

const ALIVE: Answer = {
  headers: { "cache-control": "no-store" },
  content: { json: { status: "ok" } },
};
/** A load balancer that gets no answer in time takes us for dead, and the log would not say why. */
const READINESS_LIMIT_MS = 3_000;

export function serviceRoutes(deps: ServiceRouteDeps): Route[] {
  const health = { description: "Alive.", content: { "application/json": Health } };
  const readiness = { "application/json": Readiness };
  return [
    {
      method: "GET",
      path: "/healthz",
      access: "open",
      doc: {
        operationId: "healthz",
        summary: "Whether the process is alive",
        tag: "Service",
        responses: { 200: health },
        errors: [],
      },
      handle: () => ALIVE,
    },
    {
      method: "GET",
      path: "/livez",
      access: "open",
      doc: {
        operationId: "livez",
        summary: "Whether the process is alive",
        tag: "Service",
        responses: { 200: health },
        errors: [],
      },
      handle: () => ALIVE,
    },
    {
      method: "GET",
      path: "/api/hello",
      access: "open",
      doc: {
        operationId: "hello",
        summary: "Whether there is a gateway here",
        description: "Messages clients probe it with HEAD before they send a key.",
        tag: "Service",
        responses: { 200: health },
        errors: [],
      },
      handle: () => ALIVE,
    },
    {
      method: "GET",
      path: "/readyz",
      access: "open",
      doc: {
        operationId: "readyz",
        summary: "Whether the process takes requests",
        description: "503 while the process drains or cannot reach what it needs.",
        tag: "Service",
        responses: {
          200: { description: "Ready.", content: readiness },
          503: { description: "Not ready; `checks` says why.", content: readiness },
        },
        errors: [],
      },
      async handle() {
        const { ok, checks } = await withinLimit(deps.readiness());
        return {
          status: ok ? 200 : 503,
          headers: { "cache-control": "no-store" },
          content: { json: { status: ok ? "ready" : "not ready", checks } },
        };
      },
    },
    {
      method: "GET",
      path: "/metrics",
      access: "open",
      doc: {
        operationId: "metrics",
        summary: "Figures for Prometheus",
        description:
          "They tell what the business earns, so only callers on loopback and private addresses get them, and none that came through a proxy.",
        tag: "Service",
        responses: {
          200: { description: "Prometheus text format.", content: { "text/plain": Type.String() } },
        },
        errors: [403],
      },
      async handle(call) {
        if (!isNear(call))
          throw new Fault("permission_denied", {
            message:
              "Metrics are for the private network: ask this process directly, not through a proxy.",
          });
        return {
          headers: { "cache-control": "no-store" },
          content: { contentType: deps.metrics.contentType, bytes: await deps.metrics.render() },
        };
      },
    },
  ];
}

async function withinLimit(report: Promise<ReadinessReport>): Promise<ReadinessReport> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ReadinessReport>((resolve) => {
    timer = setTimeout(
      () =>
        resolve({ ok: false, checks: { readiness: `no answer within ${READINESS_LIMIT_MS} ms` } }),
      READINESS_LIMIT_MS,
    );
  });
  try {
    return await Promise.race([
      report.catch(() => ({ ok: false, checks: { readiness: "the check failed" } })),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}

const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-real-ip", "via"] as const;

const isPrivate = createIpMatcher([
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "169.254.0.0/16",
  "100.64.0.0/10",
  "::1",
  "fc00::/7",
  "fe80::/10",
]);

/** By the peer itself: what a proxy says of its client must not open this endpoint. */
function isNear({ headers, peerAddress }: RouteCall<unknown>): boolean {
  return PROXY_HEADERS.every((name) => headers[name] === undefined) && isPrivate(peerAddress);
}
