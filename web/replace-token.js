/**
 * Carry out a write after which our token is invalid. The stream may end before the response arrives: that is no loss.
 *
 * @template T
 * @param {import("./store.js").Store} store
 * @param {() => Promise<T>} write
 */
export async function replaceToken(store, write) {
  const { onGone } = store;
  let gone = () => {};
  store.onGone = (error) => { gone = () => onGone(error); };
  try {
    return await write();
  } catch (error) {
    store.onGone = onGone;
    gone();
    throw error;
  }
}
