/**
 * How the panel is built: hashed files below /panel/, split by page, for browsers of the last two
 * years.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import type { Plugin } from "vite";

/** Where `npm start` serves the API, for `npm run dev -w panel`. */
const GATEWAY = "http://127.0.0.1:8080";

/** What is smaller than this goes out in one packet anyway. */
const PACK_FROM_BYTES = 1_000;

/** Lays a packed copy beside every text file, so that the gateway packs nothing at run time. */
function packFiles(): Plugin {
  let folder = "";
  return {
    name: "pack-files",
    apply: "build",
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    writeBundle() {
      const assets = readdirSync(join(folder, "assets")).filter((name) =>
        /\.(js|css|svg)$/.test(name),
      );
      for (const path of ["index.html", ...assets.map((name) => join("assets", name))].map((name) =>
        join(folder, name),
      )) {
        const plain = readFileSync(path);
        if (plain.length < PACK_FROM_BYTES) continue;
        writeFileSync(`${path}.br`, brotliCompressSync(plain));
        writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }));
      }
    },
  };
}

/** The one file here that must export a default: its reader asks for that. */
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  root: import.meta.dirname,
  base: "/panel/",
  plugins: [react(), packFiles()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: ["chrome124", "edge124", "firefox125", "safari17.5"],
    // The pages' policy knows neither inline scripts nor data: outside of pictures.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
  },
  server: { proxy: { "/panel/api": GATEWAY, "/static": GATEWAY } },
});
