/**
 * One call of the panel's API, by a path of its table of routes: JSON in, JSON out, every refusal
 * an ApiError.
 */
import type {
  AnswerOf,
  JsonRouteName,
  PanelRouteName,
  PathOf,
  RawRouteName,
} from "../../../src/contract/panel/routes/panel-api.ts";
import type { Change, JsonPath, ParamsFor, Read, Rest, Target } from "./route-call.ts";
import { callApi, sendApi, urlOf } from "./send-api.ts";

interface Abortable {
  readonly signal?: AbortSignal | undefined;
}

/** What a route that reads its body by itself is sent: JSON, or a form. */
interface RawBody extends Abortable {
  /** Who pays, of the playground. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | FormData;
}

/** `readApi("/keys/{hash}", { params: { hash }, signal })`. */
export function readApi<Path extends JsonPath<"GET">>(
  path: Path,
  ...[call]: Rest<Target<`GET ${Path}`> & Abortable>
): Promise<Read<Path>> {
  return callApi("GET", path, call);
}

/** `postApi("/keys/{hash}/roll", { params: { hash }, body: { overlapHours } })`. */
export function postApi<Path extends JsonPath<"POST">>(
  path: Path,
  ...[call]: Rest<Change<`POST ${Path}`>>
): Promise<AnswerOf<`POST ${Path}`>> {
  return callApi("POST", path, { body: {}, ...call });
}

/** `deleteApi("/files/{name}", { params: { name } })`. */
export function deleteApi<Path extends JsonPath<"DELETE">>(
  path: Path,
  ...[call]: Rest<ParamsFor<`DELETE ${Path}`>>
): Promise<AnswerOf<`DELETE ${Path}`>> {
  return callApi("DELETE", path, call);
}

/** `postRaw("/playground/tasks/{+model}", { params: { model }, headers, body })`. */
export function postRaw<Path extends PathOf<"POST", JsonRouteName & RawRouteName>>(
  path: Path,
  call: ParamsFor<`POST ${Path}`> & RawBody,
): Promise<AnswerOf<`POST ${Path}`>> {
  return callApi("POST", path, call);
}

/** The same where the answer is read as it comes: a sound is no JSON. */
export function sendRaw<Path extends PathOf<"POST", RawRouteName>>(
  path: Path,
  call: ParamsFor<`POST ${Path}`> & RawBody,
): Promise<Response> {
  return sendApi("POST", path, call);
}

/** `apiUrl("GET /tasks/{id}/events", { params: { id } })`: for streams and uploads. */
export function apiUrl<Name extends PanelRouteName>(
  name: Name,
  ...[target]: Rest<Target<Name>>
): string {
  return urlOf(name.slice(name.indexOf(" ") + 1), target);
}
