import { UnexpectedResponseError } from "./errors.js";

/** The largest body of a response, or line or message of one that streams, after decompression. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Return the error for a body, line or message that is larger. */
export const tooLarge = () => new UnexpectedResponseError(`The response has more than ${MAX_BODY_BYTES} bytes`);

/**
 * Return the text of a response.
 *
 * @param {Response} response
 * @throws {UnexpectedResponseError} It has more than 16 MiB, decompressed.
 */
export async function readText(response) {
  if (!response.body) return response.text();
  const reader = response.body.getReader(), decoder = new TextDecoder();
  let text = "", bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value.length;
      if (bytes > MAX_BODY_BYTES) throw tooLarge();
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
