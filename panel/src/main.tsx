/** Starts the panel in the browser. */
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { leaveSeeing } from "./app/leave-seeing.ts";
import { hearOtherTabs } from "./app/other-tabs.ts";
import { createQueryClient } from "./app/query-client.ts";
import { reloadAfterUpdate } from "./app/reload-after-update.ts";
import { createPanelRouter } from "./app/router.tsx";
import { sessionQuery } from "./app/session.ts";
import { applyTheme } from "./app/theme.ts";
import { LocaleProvider } from "./i18n/locale.tsx";
import "./styles/main.css";
import { ToastProvider } from "./ui/toast.tsx";

applyTheme();
reloadAfterUpdate();

const client = createQueryClient({
  onSessionOver: () => void client.setQueryData(sessionQuery.queryKey, null),
  onSeeingOver() {
    const session = client.getQueryData(sessionQuery.queryKey) ?? null;
    const seen = session === null || session.seeing === null ? null : session.account.accountId;
    // Without an answer it is tried again at the next refusal.
    void leaveSeeing(seen).catch(() => undefined);
  },
});
hearOtherTabs((change) => {
  // At once: the answer may be long on its way.
  if (change === "left") client.setQueryData(sessionQuery.queryKey, null);
  void askAnew();
});
const router = createPanelRouter(client);

const place = document.querySelector("#root");
if (place === null) throw new Error("index.html has no place for the panel");
createRoot(place).render(
  <StrictMode>
    {/* Styles come from our own files only: the pages' policy refuses any other. */}
    <CSPProvider disableStyleElements>
      <LocaleProvider>
        <QueryClientProvider client={client}>
          <ToastProvider>
            <RouterProvider router={router} />
          </ToastProvider>
        </QueryClientProvider>
      </LocaleProvider>
    </CSPProvider>
  </StrictMode>,
);

/** Whose session it is now; then, where there is one again, what could not be read without. */
async function askAnew(): Promise<void> {
  await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  if (client.getQueryData(sessionQuery.queryKey) !== null) await client.invalidateQueries();
}
