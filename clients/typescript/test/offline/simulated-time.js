/**
 * Replace the timers by simulated ones, which fire as soon as nothing else is left to do.
 *
 * @returns {{now: number, restore: () => void}} The simulated time in milliseconds.
 */
export function simulatedTime() {
  const { setTimeout, clearTimeout, setImmediate } = globalThis;
  /** @type {Map<number, {at: number, run: () => void}>} */
  const timers = new Map();
  let last = 0, running = true;
  const time = {
    now: 0,
    restore() {
      running = false;
      Object.assign(globalThis, { setTimeout, clearTimeout });
    },
  };
  const fire = () => {
    const [next] = [...timers].sort(([, one], [, other]) => one.at - other.at);
    if (next) {
      timers.delete(next[0]);
      time.now = Math.max(time.now, next[1].at);
      next[1].run();
    }
    if (running) setImmediate(fire);
  };
  Object.assign(globalThis, {
    setTimeout(/** @type {() => void} */ run, ms = 0) {
      timers.set(++last, { at: time.now + ms, run });
      return last;
    },
    clearTimeout: (/** @type {number} */ id) => timers.delete(id),
  });
  setImmediate(fire);
  return time;
}
