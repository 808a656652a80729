/**
 * @typedef {object} Message One server-sent event.
 * @property {string} event Its type; `message` when the stream names none.
 * @property {string} data
 */

/** The server was silent for longer than its heartbeat allows: the connection is half open. */
export class SilentStreamError extends Error {
  /** @param {number} ms */
  constructor(ms) {
    super(`The stream was silent for ${ms} ms`);
    this.name = "SilentStreamError";
  }
}

/**
 * Parse a stream of server-sent events.
 *
 * @param {ReadableStream<Uint8Array>} body
 * @param {number} silenceMs Fail when nothing, not even a heartbeat, arrives for this long.
 * @returns {AsyncGenerator<Message, void, void>}
 * @throws {SilentStreamError}
 */
export async function* parseEventStream(body, silenceMs) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffer = "";
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read(), silenceMs);
      if (done) return; // an unfinished message is dropped, as the specification asks
      buffer += decoder.decode(value, { stream: true });
      const blocks = buffer.split(/\r\n\r\n|\n\n|\r\r/);
      buffer = blocks.pop() ?? "";
      for (const block of blocks) {
        const message = parseBlock(block);
        if (message) yield message;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * @param {string} block
 * @returns {Message | null} Null for comments and other blocks without data.
 */
function parseBlock(block) {
  let event = "message";
  const data = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
  return data.length ? { event, data: data.join("\n") } : null;
}

/**
 * @template T
 * @param {Promise<T>} reading
 * @param {number} ms
 * @returns {Promise<T>}
 */
function withinSilence(reading, ms) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new SilentStreamError(ms)), ms);
    reading.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
