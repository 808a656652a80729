import { MAX_BODY_BYTES, tooLarge } from "./bodies.js";

/**
 * @typedef {object} Message One server-sent event.
 * @property {string} event Its type; `message` when the stream names none.
 * @property {string} data
 */

/**
 * Parse a stream of server-sent events.
 *
 * @param {ReadableStream<Uint8Array>} body
 * @param {number} silenceMs Fail when no byte, not even a heartbeat, arrives for this long.
 * @returns {AsyncGenerator<Message, void, void>}
 */
export async function* parseEventStream(body, silenceMs) {
  // An incomplete message at the end is discarded, as the specification requires.
  for await (const block of readBlocks(body, /\r\n\r\n|\n\n|\r\r/, silenceMs)) {
    const message = parseBlock(block);
    if (message) yield message;
  }
}

const MAX_SEPARATOR = 4;

/**
 * Read a body in blocks.
 *
 * @param {ReadableStream<Uint8Array>} body
 * @param {RegExp | string} separator The end of each block.
 * @param {number} silenceMs
 * @returns {AsyncGenerator<string, string, void>} Returns the rest after the last separator.
 * @throws {UnexpectedResponseError} A block has more than 16 MiB.
 */
export async function* readBlocks(body, separator, silenceMs) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "", tail = "";
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read(), silenceMs);
      if (done) return rest;
      const text = decoder.decode(value, { stream: true }), seam = tail + text;
      rest += text;
      tail = seam.slice(-MAX_SEPARATOR);
      if (seam.split(separator).length > 1) { // to look at all of a long block with each piece takes seconds
        const blocks = rest.split(separator);
        rest = blocks.pop() ?? "";
        yield* blocks;
      }
      if (rest.length > MAX_BODY_BYTES) throw tooLarge();
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** @param {string} block @returns {Message | null} Null for comments and other blocks without data. */
function parseBlock(block) {
  let event = "message";
  const data = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
  return data.length ? { event, data: data.join("\n") } : null;
}

/** @template T @param {Promise<T>} reading @param {number} ms @returns {Promise<T>} */
function withinSilence(reading, ms) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No data for ${ms} ms`)), ms);
    reading.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
