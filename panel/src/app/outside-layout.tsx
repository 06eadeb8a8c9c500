/** The frame of the pages for who is not logged in. */
import { Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Brand } from "./brand.tsx";
import { Preferences } from "./preferences.tsx";

export function OutsideLayout(): ReactNode {
  return (
    <div className="outside">
      <header className="outside-head">
        <Brand />
        <div className="row">
          <Preferences />
        </div>
      </header>
      <main className="outside-card">
        <Outlet />
      </main>
    </div>
  );
}
