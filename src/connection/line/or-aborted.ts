/** Waits for something unless the caller has had enough first. */

export async function orAborted(promise: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return void (await promise);
  let stop: (() => void) | undefined;
  const aborted = new Promise<void>((_, reject) => {
    const onAbort = (): void => reject(signal.reason as Error); // whatever the caller gave as its reason
    signal.addEventListener('abort', onAbort, { once: true });
    stop = () => signal.removeEventListener('abort', onAbort);
  });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    stop?.();
  }
}
