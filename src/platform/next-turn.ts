/** A turn of the event loop: timers that are due, sockets and aborts come first, then whoever waits for it. */

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
