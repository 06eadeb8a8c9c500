/** Speech: paid for by the characters that are spoken, and passed on while it is made. */
import { SPEECH_FORMATS, SpeechRequestBody } from "../../contract/speech.ts";
import { Fault } from "../../kernel/faults.ts";
import type { CallStreaming, JsonCallProtocol } from "./call-protocol.ts";
import { bytesStreaming, MEDIA_EVENTS } from "./media-events.ts";
import { createCallReader, withModel } from "./read-call-object.ts";

/** Far above what any vendor speaks at once. */
const MOST_CHARACTERS = 100_000;
const USUAL_FORMAT = "mp3";

const TYPES: Readonly<Record<(typeof SPEECH_FORMATS)[number], string>> = {
  mp3: "audio/mpeg",
  opus: "audio/opus",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
};

const readObject = createCallReader(SpeechRequestBody, [
  "input",
  "response_format",
  "stream_format",
]);

export const speech: JsonCallProtocol = {
  endpoint: "audio.speech",
  path: "/audio/speech",
  streaming: MEDIA_EVENTS,

  read(body) {
    const object = readObject(body);
    const { model, input, response_format: format, stream_format: form } = object.whole();
    const text = String(input);
    const characters = countCharacters(text);
    if (characters > MOST_CHARACTERS)
      throw new Fault("invalid_request", {
        message: `'input' has ${characters} characters; at most ${MOST_CHARACTERS} are spoken at once.`,
        param: "input",
      });
    return {
      model: String(model),
      stream: true,
      streaming: form === "sse" ? MEDIA_EVENTS : soundOf(format),
      includeUsage: true,
      measure: () => ({
        inputTokens: 0,
        mostInputTokens: body.length,
        outputTokens: 0,
        counts: { characters },
      }),
      texts: () => [text],
      overheadTokens: 0,
      unbounded: null,
      identity: body,
      write: (name) => withModel(object, name),
    };
  },

  // Its answers are streams, whichever form they have.
  readAnswer: () => ({ kind: "garbage", reason: "speech is no whole answer" }),
  writeAnswer: (answer) => answer,
};

function soundOf(format: unknown): CallStreaming {
  const known = SPEECH_FORMATS.find((each) => each === format) ?? USUAL_FORMAT;
  return bytesStreaming(TYPES[known]);
}

/** In code points, as people count. */
function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count++;
  return count;
}
