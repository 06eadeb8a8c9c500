/** The frame of the pages for who is not logged in. */
import { Outlet } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import { Brand } from "./brand.tsx";
import { LegalLinks } from "./legal-links.tsx";
import { NavigationProgress } from "./navigation-progress.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { Preferences } from "./preferences.tsx";
import { TypedEmailContext } from "./typed-email.ts";
import { useSlowNavigation } from "./use-slow-navigation.ts";

export function OutsideLayout(): ReactNode {
  const [email, setEmail] = useState("");
  const typed = useMemo(() => ({ email, setEmail }), [email]);
  return (
    <TypedEmailContext value={typed}>
      <OutsideFrame>
        <Outlet />
      </OutsideFrame>
    </TypedEmailContext>
  );
}

/** For an address that leads nowhere, for visitors and members alike. */
export function LostLayout(): ReactNode {
  return (
    <OutsideFrame>
      <NotFoundPage />
    </OutsideFrame>
  );
}

function OutsideFrame({ children }: { readonly children: ReactNode }): ReactNode {
  const slow = useSlowNavigation();
  return (
    <div className="outside">
      <header className="outside-head">
        {slow ? <NavigationProgress /> : null}
        <Brand />
        <div className="row">
          <Preferences />
        </div>
      </header>
      <main className="outside-card" aria-busy={slow}>
        {children}
      </main>
      <LegalLinks />
    </div>
  );
}
