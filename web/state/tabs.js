/**
 * What the leader relays: an event, a change of its connection, or that the server has lost events.
 *
 * @typedef {import("./api.js").Event | {state: import("./store.js").Connection} | {reload: true}} Message
 */

/**
 * The tabs of this browser that show the same game. The tab that holds a lock is the leader: it reads the event stream and
 * relays to the other tabs what they need of it. In a browser without the Web Locks API each tab is a leader.
 */
export class TabGroup {
  /**
   * @param {string} name What these tabs follow: a game, as one seat sees it.
   * @param {(message: Message) => void} onMessage Called for each message that the leader relays.
   */
  constructor(name, onMessage) {
    this.name = `skye.${name}`;
    this.leading = false;
    /** What is not relayed yet. @type {Message[]} */
    this.waiting = [];
    this.channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(this.name) : null;
    this.channel?.addEventListener("message", ({ data }) => {
      if (!this.leading) data.forEach(onMessage);
    });
  }

  /** Relay a message in a later task, together with others: our own page is drawn first. @param {Message} message */
  relay(message) {
    if (this.waiting.push(message) > 1) return;
    setTimeout(() => {
      const messages = this.waiting.splice(0);
      this.channel?.postMessage(messages);
    });
  }

  /**
   * Run as soon as this tab is the leader, until that has ended.
   *
   * @param {() => Promise<void>} run
   * @param {AbortSignal} signal
   */
  async lead(run, signal) {
    const leader = async () => {
      this.leading = true;
      await run();
    };
    if (!this.channel || !("locks" in navigator)) return leader();
    await navigator.locks.request(this.name, { signal }, leader);
  }

  close() {
    this.channel?.close();
    this.channel = null;
  }
}
