/** The frame of every page behind the log-in: header, sections, banners, and the page itself. */
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import type { Session } from "../../../src/contract/panel/sessions.ts";
import { useLocale } from "../i18n/locale.tsx";
import { Icon } from "../ui/icon.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { BlockedBanner } from "./blocked-banner.tsx";
import { Brand } from "./brand.tsx";
import { HeaderBalance } from "./header-balance.tsx";
import { Navigation } from "./navigation.tsx";
import { NavigationProgress } from "./navigation-progress.tsx";
import { Preferences } from "./preferences.tsx";
import { OfflineBanner } from "./offline-banner.tsx";
import { hearOtherTabs } from "./other-tabs.ts";
import { SessionContext, sessionQuery } from "./session.ts";
import { TabBar } from "./tab-bar.tsx";
import { useSlowNavigation } from "./use-slow-navigation.ts";
import { useShell } from "./use-shell.ts";

/** Fetched when a session ends under an open page: few do. */
const LogInAgain = lazy(async () => ({ default: (await import("./log-in-again.tsx")).LogInAgain }));
/** Fetched when it is first opened: wide screens never do. */
const Drawer = lazy(async () => ({ default: (await import("../ui/drawer.tsx")).Drawer }));

export function Layout(): ReactNode {
  const { data } = useQuery(sessionQuery);
  // One whose log-in wants a second step yet is none.
  const whole = data?.member.stage === "full" ? data : null;
  const [session, setSession] = useState(whole);
  // Another member logged in, in another tab: nothing on this page is theirs.
  const taken =
    whole !== null && session !== null && whole.member.memberId !== session.member.memberId;
  useEffect(() => {
    if (taken) location.reload();
  }, [taken]);
  // One that ended stays here, and with it the page and what is filled in there.
  if (whole !== null && whole !== session && !taken) setSession(whole);
  const left = useLeft(whole !== null);
  if (session === null || taken) return null;
  return (
    <SessionContext value={session}>
      <Frame session={session} />
      {whole === null ? (
        <Suspense fallback={null}>
          <LogInAgain left={left} />
        </Suspense>
      ) : null}
    </SessionContext>
  );
}

/**
 * Whether the member logged out in another tab: nothing of the account is in sight then, windows
 * included. It stays on the page, out of sight, until the next log-in: the same member goes on, and
 * for another one the page is loaded anew.
 */
function useLeft(there: boolean): boolean {
  const [left, setLeft] = useState(false);
  useEffect(() => hearOtherTabs((change) => setLeft((before) => before || change === "left")), []);
  if (left && there) setLeft(false);
  useLayoutEffect(() => {
    document.documentElement.toggleAttribute("data-left", left);
    return () => document.documentElement.removeAttribute("data-left");
  }, [left]);
  return left;
}

function Frame({ session }: { readonly session: Session }): ReactNode {
  const shell = useShell();
  const { setTimeZone } = useLocale();
  const [drawer, setDrawer] = useState(false);
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  const slow = useSlowNavigation();
  useEffect(() => setTimeZone(session.member.timezone), [session.member.timezone, setTimeZone]);
  // Who listens to the page instead of seeing it is told that it is another one.
  useEffect(() => {
    if (shown.current !== pathname) main.current?.focus();
    shown.current = pathname;
  }, [pathname]);
  return (
    <div className="layout">
      <a className="skip-link" href="#content">
        {shell.skip}
      </a>
      <header className="layout-head">
        {slow ? <NavigationProgress /> : null}
        <button
          className="button button-ghost only-narrow"
          type="button"
          aria-label={shell.menu}
          onClick={() => setDrawer(true)}
        >
          <Icon name="menu" />
        </button>
        <Link to="/" className="brand-link">
          <Brand />
        </Link>
        <div className="layout-head-end">
          <HeaderBalance />
          <div className="row only-wide">
            <Preferences />
          </div>
          <AccountMenu />
        </div>
      </header>
      <aside className="layout-side">
        <Navigation />
      </aside>
      <main className="layout-main" id="content" ref={main} tabIndex={-1} aria-busy={slow}>
        <OfflineBanner />
        {session.account.blocked ? <BlockedBanner /> : null}
        <Outlet />
      </main>
      <TabBar onMore={() => setDrawer(true)} />
      {drawer ? (
        <Suspense fallback={null}>
          <Drawer title={shell.menu} open onOpenChange={setDrawer}>
            <Navigation onGone={() => setDrawer(false)} />
            <div className="row drawer-foot">
              <Preferences />
            </div>
          </Drawer>
        </Suspense>
      ) : null}
    </div>
  );
}
