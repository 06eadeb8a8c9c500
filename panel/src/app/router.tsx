/**
 * Every address of the panel: which page it shows, and whom it lets in. Pages are fetched when they
 * are first gone to.
 */
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import type { ReactNode } from "react";
import { unreachable } from "../api/api-error.ts";
import { fetchPart } from "../ui/fetch-part.ts";
import { BrokenPage } from "./broken-page.tsx";
import { Layout } from "./layout.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { LostLayout, OutsideLayout } from "./outside-layout.tsx";
import { parseSearch, stringifySearch } from "./search-strings.ts";
import type { SearchStrings } from "./search-strings.ts";
import { sessionQuery, useSession } from "./session.ts";

interface RouterContext {
  readonly client: QueryClient;
}

type PageModule = Promise<{ readonly Component: () => ReactNode }>;

const root = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: LostLayout,
  validateSearch: (search: Record<string, unknown>): SearchStrings => search as SearchStrings,
});

/** For who is logged in to the end. */
const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  component: Layout,
  async beforeLoad({ context, location }) {
    const session = await context.client.query({ ...sessionQuery, staleTime: "static" });
    if (session === null || session.member.stage !== "full") {
      const next = location.href === "/" ? undefined : location.href;
      redirect({ to: "/log-in", search: { next }, throw: true });
    }
    // A developer has no account at a glance: it begins with its keys.
    if (session?.member.role === "developer" && location.pathname === "/")
      redirect({ to: "/keys", throw: true });
  },
});

/** For operators; to others their pages are not there. */
const operate = createRoute({
  getParentRoute: () => inside,
  id: "operate",
  component: OperatorOnly,
});

function OperatorOnly(): ReactNode {
  return useSession().member.operator ? <Outlet /> : <NotFoundPage />;
}

const outside = createRoute({
  getParentRoute: () => root,
  id: "outside",
  component: OutsideLayout,
});

/**
 * Without the network it says so: the router's own answer to a page that cannot be fetched is to
 * load everything anew, which fails as well.
 */
function fetched(load: () => PageModule) {
  const loadTranslated = (): PageModule =>
    fetchPart(load).catch(() => {
      throw unreachable();
    });
  return lazyRouteComponent(loadTranslated, "Component");
}

function page<Path extends string>(path: Path, load: () => PageModule) {
  return createRoute({ getParentRoute: () => inside, path, component: fetched(load) });
}

function operatorPage<Path extends string>(path: Path, load: () => PageModule) {
  return createRoute({ getParentRoute: () => operate, path, component: fetched(load) });
}

function outsidePage<Path extends string>(path: Path, load: () => PageModule) {
  return createRoute({ getParentRoute: () => outside, path, component: fetched(load) });
}

const settings = createRoute({
  getParentRoute: () => inside,
  path: "/settings",
  beforeLoad: ({ context }) => {
    // Who sees as a customer has no profile there.
    const seeing = context.client.getQueryData(sessionQuery.queryKey)?.seeing ?? null;
    redirect({ to: seeing === null ? "/settings/profile" : "/settings/members", throw: true });
  },
});

const tree = root.addChildren([
  inside.addChildren([
    page("/", () => import("../pages/overview/overview-page.tsx")),
    page("/keys", () => import("../pages/keys/keys-page.tsx")),
    page("/keys/$hash", () => import("../pages/keys/key-page.tsx")),
    page("/groups", () => import("../pages/groups/groups-page.tsx")),
    page("/requests", () => import("../pages/requests/requests-page.tsx")),
    page("/requests/$id", () => import("../pages/requests/request-page.tsx")),
    page("/tasks", () => import("../pages/tasks/tasks-page.tsx")),
    page("/tasks/$id", () => import("../pages/tasks/task-page.tsx")),
    page("/batches", () => import("../pages/batches/batches-page.tsx")),
    page("/files", () => import("../pages/files/files-page.tsx")),
    // With a slash at its end, or the splat below would take it.
    page("/models/", () => import("../pages/models/models-page.tsx")),
    page("/models/$", () => import("../pages/models/model-page.tsx")),
    page("/playground", () => import("../pages/playground/playground-page.tsx")),
    page("/billing", () => import("../pages/billing/billing-page.tsx")),
    page("/billing/top-ups/$id", () => import("../pages/billing/top-up-page.tsx")),
    page("/alerts", () => import("../pages/alerts/alerts-page.tsx")),
    settings,
    page("/settings/profile", () => import("../pages/settings/profile-page.tsx")),
    page("/settings/security", () => import("../pages/settings/security-page.tsx")),
    page("/settings/members", () => import("../pages/settings/members-page.tsx")),
    page("/settings/log", () => import("../pages/settings/log-page.tsx")),
    operate.addChildren([
      operatorPage(
        "/operator",
        () => import("../pages/operator-overview/operator-overview-page.tsx"),
      ),
      operatorPage(
        "/operator/accounts",
        () => import("../pages/operator-accounts/operator-accounts-page.tsx"),
      ),
      operatorPage(
        "/operator/accounts/$id",
        () => import("../pages/operator-accounts/operator-account-page.tsx"),
      ),
      operatorPage(
        "/operator/payments",
        () => import("../pages/operator-payments/operator-payments-page.tsx"),
      ),
      operatorPage(
        "/operator/requests",
        () => import("../pages/operator-requests/operator-requests-page.tsx"),
      ),
      operatorPage(
        "/operator/requests/$id",
        () => import("../pages/operator-requests/operator-request-page.tsx"),
      ),
      operatorPage(
        "/operator/tasks",
        () => import("../pages/operator-tasks/operator-tasks-page.tsx"),
      ),
      operatorPage(
        "/operator/tasks/$id",
        () => import("../pages/operator-tasks/operator-task-page.tsx"),
      ),
      operatorPage(
        "/operator/catalogue",
        () => import("../pages/operator-catalogue/operator-catalogue-page.tsx"),
      ),
      operatorPage(
        "/operator/upstreams",
        () => import("../pages/operator-upstreams/operator-upstreams-page.tsx"),
      ),
      operatorPage(
        "/operator/margin",
        () => import("../pages/operator-margin/operator-margin-page.tsx"),
      ),
      operatorPage(
        "/operator/ledger",
        () => import("../pages/operator-ledger/operator-ledger-page.tsx"),
      ),
      operatorPage(
        "/operator/audit",
        () => import("../pages/operator-audit/operator-audit-page.tsx"),
      ),
      operatorPage(
        "/operator/settings",
        () => import("../pages/operator-settings/operator-settings-page.tsx"),
      ),
    ]),
  ]),
  outside.addChildren([
    outsidePage("/log-in", () => import("../pages/log-in/log-in-page.tsx")),
    outsidePage("/sign-up", () => import("../pages/sign-up/sign-up-page.tsx")),
    outsidePage("/verify", () => import("../pages/verify/verify-page.tsx")),
    outsidePage("/forgot", () => import("../pages/forgot/forgot-page.tsx")),
    outsidePage("/reset", () => import("../pages/reset/reset-page.tsx")),
    outsidePage("/invite", () => import("../pages/invite/invite-page.tsx")),
  ]),
]);

export function createPanelRouter(client: QueryClient) {
  return createRouter({
    routeTree: tree,
    basepath: "/panel",
    context: { client },
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    defaultNotFoundComponent: NotFoundPage,
    defaultErrorComponent: BrokenPage,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    readonly router: ReturnType<typeof createPanelRouter>;
  }
}
