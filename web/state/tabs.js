/** @typedef {import("./api.js").Event} Event */

/**
 * The tabs of this browser that show the same game. The tab that holds a lock is the leader: it reads the event stream and
 * relays the events to the other tabs. In a browser without the Web Locks API each tab is a leader.
 */
export class TabGroup {
  /**
   * @param {string} name What these tabs follow: a game, as one seat sees it.
   * @param {(event: Event) => void} onEvent Called for each event that the leader relays.
   */
  constructor(name, onEvent) {
    this.name = `skye.${name}`;
    this.leading = false;
    this.channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(this.name) : null;
    this.channel?.addEventListener("message", ({ data }) => onEvent(data));
  }

  /** @param {Event} event */
  relay(event) {
    this.channel?.postMessage(event);
  }

  /** Run as soon as this tab is the leader, until that has ended. @param {() => Promise<void>} run @param {AbortSignal} signal */
  async lead(run, signal) {
    const leader = async () => { this.leading = true; await run(); };
    if (!this.channel || !("locks" in navigator)) return leader();
    await navigator.locks.request(this.name, { signal }, leader);
  }

  close() {
    this.channel?.close();
  }
}
