/** The frame of every page behind the log-in: header, sections, banners, and the page itself. */
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { Suspense, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import type { Session } from "../../../src/contract/panel/sessions.ts";
import { useLocale } from "../i18n/locale.tsx";
import { Button } from "../ui/button.tsx";
import { lazyPart } from "../ui/lazy-part.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Announcement } from "./announcement.tsx";
import { BlockedBanner } from "./blocked-banner.tsx";
import { Brand } from "./brand.tsx";
import { HeaderBalance } from "./header-balance.tsx";
import { LanguageSwitch } from "./language-switch.tsx";
import { Navigation } from "./navigation.tsx";
import { NavigationProgress } from "./navigation-progress.tsx";
import { OfflineBanner } from "./offline-banner.tsx";
import { hearOtherTabs } from "./other-tabs.ts";
import { PaletteButton } from "./palette-button.tsx";
import { sectionOf } from "./sections.ts";
import { SeeingBanner } from "./seeing-banner.tsx";
import { SessionContext, sessionQuery } from "./session.ts";
import { SideBalance } from "./side-balance.tsx";
import { TabBar } from "./tab-bar.tsx";
import { usePalette } from "./use-palette.tsx";
import { useWorkspace } from "./use-workspace.ts";
import { useSlowNavigation } from "./use-slow-navigation.ts";
import { useShell } from "./use-shell.ts";
import { WorkspaceSwitch } from "./workspace-switch.tsx";

/** Fetched when a session ends under an open page: few do. */
const LogInAgain = lazyPart(async () => (await import("./log-in-again.tsx")).LogInAgain);
/** Fetched when it is first opened: wide screens never do. */
const Drawer = lazyPart(async () => (await import("../ui/drawer.tsx")).Drawer);

export function Layout(): ReactNode {
  const { data } = useQuery(sessionQuery);
  // One whose log-in wants a second step yet is none.
  const whole = data?.member.stage === "full" ? data : null;
  const [session, setSession] = useState(whole);
  // Another member logged in, in another tab, or an operator sees another account as its members do:
  // nothing on this page is theirs.
  const taken = whole !== null && session !== null && shownTo(whole) !== shownTo(session);
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

/** Two that differ are shown different panels. */
function shownTo({ member, account, seeing }: Session): string {
  return `${member.memberId} ${account.accountId} ${seeing === null ? "own" : "seen"}`;
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
  const { open: openPalette, palette } = usePalette();
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  const slow = useSlowNavigation();
  const workspace = useWorkspace();
  const section = sectionOf(pathname, workspace);
  const showsBalance = workspace === "account" && session.member.role !== "developer";
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
        <Link to="/" className="brand-link only-narrow">
          <Brand />
        </Link>
        <span className="layout-place only-wide">
          {section === null ? null : shell.sections[section.name]}
        </span>
        <div className="layout-head-end">
          {showsBalance ? <HeaderBalance /> : null}
          <PaletteButton onPress={openPalette} />
          <LanguageSwitch />
          <AccountMenu />
        </div>
      </header>
      <aside className="layout-side">
        <Link to="/" className="brand-link">
          <Brand />
        </Link>
        <WorkspaceSwitch />
        <Navigation />
        {showsBalance ? <SideBalance /> : null}
      </aside>
      <main className="layout-main" id="content" ref={main} tabIndex={-1} aria-busy={slow}>
        {session.seeing === null ? null : <SeeingBanner until={session.seeing.until} />}
        <OfflineBanner />
        <Announcement />
        {session.account.blocked ? <BlockedBanner /> : null}
        <Outlet />
      </main>
      <TabBar onMore={() => setDrawer(true)} />
      {drawer ? (
        <Suspense fallback={null}>
          <Drawer title={shell.menu} open onOpenChange={setDrawer}>
            <WorkspaceSwitch />
            <Button
              icon="search"
              onClick={() => {
                setDrawer(false);
                openPalette();
              }}
            >
              {shell.find}
            </Button>
            <Navigation onGone={() => setDrawer(false)} />
          </Drawer>
        </Suspense>
      ) : null}
      {palette}
    </div>
  );
}
