/** Waits for something unless the caller has had enough first. */

export async function orAborted(promise: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return void (await promise);
  let stop = (): void => undefined;
  const aborted = new Promise<void>((_, reject) => {
    stop = () => reject(signal.reason as Error); // whatever the caller gave as its reason
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
