/**
 * In a bundle: lets the stack of an error name files and lines of the sources, by a table that is
 * read with the first such error. Plain JavaScript for Node 20.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const FOLDER = import.meta.dirname;
const ROOT = join(FOLDER, "..", "..", "..");
const PLACE = /(file:[^\s()]*\/)([\w.-]+\.mjs):(\d+):\d+/;
const HERE = `${pathToFileURL(FOLDER).href}/`;

/** By name of a file; null where there is none. */
const tables = new Map();

function tableOf(name) {
  if (!tables.has(name)) {
    let table = null;
    try {
      table = JSON.parse(readFileSync(join(FOLDER, `${name}.places.json`), "utf8"));
    } catch {
      // The places in the bundle stand.
    }
    tables.set(name, table);
  }
  return tables.get(name);
}

/** `at` has a source's number and line for each line. */
function named(site) {
  return site.replace(PLACE, (place, folder, name, line) => {
    const { sources, at } = (folder === HERE && tableOf(name)) || { sources: [], at: [] };
    const source = sources[at[2 * line - 2]];
    return source === undefined ? place : `${join(ROOT, source)}:${at[2 * line - 1]}`;
  });
}

function headOf(error) {
  try {
    return String(error);
  } catch {
    return "Error";
  }
}

Error.prepareStackTrace = (error, sites) =>
  [headOf(error), ...sites.map((site) => `    at ${named(String(site))}`)].join("\n");
