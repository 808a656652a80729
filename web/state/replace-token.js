/**
 * Send a write that replaces our token. The event stream, which has the old token, may end before the response arrives:
 * `onGone` is called only if the write fails.
 *
 * @template T
 * @param {import("./store.js").Store} store
 * @param {() => Promise<T>} write
 */
export async function replaceToken(store, write) {
  const { onGone } = store;
  let gone = () => {};
  store.onGone = (error) => {
    gone = () => onGone(error);
  };
  try {
    return await write();
  } catch (error) {
    store.onGone = onGone;
    gone();
    throw error;
  }
}
