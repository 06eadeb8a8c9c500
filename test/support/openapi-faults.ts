/**
 * What linters of OpenAPI refuse, and what makes generated clients wrong or unpleasant, found in a
 * document; light enough for every run of the tests.
 */

type Json = Readonly<Record<string, unknown>>;

const METHODS = new Set(["get", "post", "put", "patch", "delete", "head", "options"]);
const TYPES = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);
/** Keywords whose value is data, and no schema. */
const DATA = new Set([
  "enum",
  "const",
  "examples",
  "example",
  "default",
  "required",
  "x-media",
  "x-media-alone",
  "x-ru",
]);

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** One line for each fault. */
export function openApiFaults(document: unknown): string[] {
  assertDocument(document);
  return [...pathFaults(document), ...schemaFaults(document), ...componentFaults(document)];
}

interface Document {
  readonly paths: Json;
  readonly components: { readonly schemas: Json };
}

function assertDocument(value: unknown): asserts value is Document & Json {
  if (!isObject(value) || !isObject(value["paths"]) || !isObject(value["components"]))
    throw new Error("that is no OpenAPI document");
}

function pathFaults({ paths }: Document): string[] {
  const faults: string[] = [];
  const templates = new Map<string, string>();
  const operationIds = new Set<unknown>();
  for (const [path, item] of Object.entries(paths)) {
    const template = path.replaceAll(/\{\w+\}/g, "{}");
    const twin = templates.get(template);
    if (twin !== undefined) faults.push(`one template: ${twin} and ${path}`);
    templates.set(template, path);
    for (const [method, operation] of entriesOf(item)) {
      if (!METHODS.has(method) || !isObject(operation)) continue;
      const { operationId } = operation;
      if (operationIds.has(operationId)) faults.push(`operationId twice: ${String(operationId)}`);
      operationIds.add(operationId);
      if (entriesOf(operation["responses"]).length === 0)
        faults.push(`no responses: ${method} ${path}`);
      faults.push(...parameterFaults(`${method} ${path}`, operation));
    }
  }
  return faults;
}

function parameterFaults(where: string, operation: Json): string[] {
  const parameters = (Array.isArray(operation["parameters"]) ? operation["parameters"] : []).filter(
    isObject,
  );
  const inPath = new Set(
    parameters
      .filter((parameter) => parameter["in"] === "path")
      .map((parameter) => parameter["name"]),
  );
  const named = [...where.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const faults = named
    .filter((name) => !inPath.has(name))
    .map((name) => `path parameter ${name} is not described: ${where}`);
  for (const name of inPath)
    if (!named.includes(String(name)))
      faults.push(`path parameter ${String(name)} is not in the path: ${where}`);
  for (const { in: place, required, example, examples, name } of parameters) {
    const shown = example !== undefined || examples !== undefined;
    if (place === "header" && required !== true && shown)
      faults.push(`a sample would send the optional header ${String(name)}: ${where}`);
  }
  return faults;
}

/** Every schema with where it stands. */
function schemasOf(document: Document): [string, Json][] {
  const found: [string, Json][] = [];
  function schema(where: string, value: unknown): void {
    if (!isObject(value)) return;
    found.push([where, value]);
    for (const [key, inner] of Object.entries(value)) {
      if (DATA.has(key)) continue;
      if (key === "properties" || key === "patternProperties")
        for (const [name, part] of entriesOf(inner)) schema(`${where}.${name}`, part);
      else if (Array.isArray(inner)) inner.forEach((part) => schema(`${where}/${key}`, part));
      else schema(`${where}/${key}`, inner);
    }
  }
  function anywhere(where: string, value: unknown): void {
    for (const [key, inner] of entriesOf(value)) {
      if (key === "schema") schema(where, inner);
      else if (Array.isArray(inner)) inner.forEach((part) => anywhere(`${where}/${key}`, part));
      else anywhere(`${where}/${key}`, inner);
    }
  }
  for (const [name, value] of Object.entries(document.components.schemas)) schema(name, value);
  anywhere("", document.paths);
  return found;
}

function schemaFaults(document: Document): string[] {
  return schemasOf(document).flatMap(([where, schema]) => {
    const { type, properties, required, additionalProperties, patternProperties, $ref, pattern } =
      schema;
    const faults: string[] = [];
    const types = [type].flat();
    if (type !== undefined && !types.every((name) => TYPES.has(String(name))))
      faults.push(`no such type: ${where}`);
    if ("default" in schema)
      faults.push(`default, which generated clients take for "always there": ${where}`);
    if (patternProperties !== undefined)
      faults.push(`patternProperties, which generators do not read: ${where}`);
    const closed =
      types.includes("object") &&
      entriesOf(properties).length === 0 &&
      additionalProperties === undefined;
    if (closed && patternProperties === undefined)
      faults.push(`closed: nothing could be in this object: ${where}`);
    const missing = (Array.isArray(required) ? required : []).filter(
      (name) => !isObject(properties) || !(String(name) in properties),
    );
    if (missing.length > 0)
      faults.push(`required and not described (${missing.join(", ")}): ${where}`);
    if (
      typeof $ref === "string" &&
      !(($ref.split("/").at(-1) ?? "") in document.components.schemas)
    )
      faults.push(`nothing resolves ${$ref}: ${where}`);
    if (typeof pattern === "string" && !compiles(pattern)) faults.push(`no pattern: ${where}`);
    return faults;
  });
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").source !== "";
  } catch {
    return false;
  }
}

function componentFaults(document: Document): string[] {
  const text = JSON.stringify(document);
  const names = Object.keys(document.components.schemas);
  return names
    .filter((name) => !text.includes(`"#/components/schemas/${name}"`))
    .map((name) => `not used: ${name}`);
}
