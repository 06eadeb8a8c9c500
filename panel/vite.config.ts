/** How the panel is built: hashed files below /panel/, split by page, for browsers of the last two years. */
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `npm start` serves the API, for `npm run dev -w panel`. */
const GATEWAY = "http://127.0.0.1:8080";

/** The one file here that must export a default: its reader asks for that. */
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  root: import.meta.dirname,
  base: "/panel/",
  plugins: [react()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: ["chrome120", "edge120", "firefox121", "safari17.2"],
    // The pages' policy knows neither inline scripts nor data: outside of pictures.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { "/panel/api": GATEWAY, "/static": GATEWAY } },
});
