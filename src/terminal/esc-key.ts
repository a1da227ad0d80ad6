/**
 * Detects the Esc key, which leaves a question unanswered. Many key sequences start with the same byte, so it
 * is only Esc when nothing follows.
 */

/** How long the rest of a key sequence may take, in milliseconds. Also passed to readline. */
export const escMs = 100;

/** How much earlier than requested a timer may fire. */
const earlyMs = 5;

/**
 * Returns a function that tells whether a key is an Esc pressed after this call. An Esc pressed shortly
 * before may only be reported now.
 */
export function watchEsc(): (key: { readonly name?: string }) => boolean {
  const since = performance.now();
  return ({ name }) => name === 'escape' && performance.now() - since >= escMs - earlyMs;
}

/**
 * Calls `then` on Esc until the returned function is called. Relies on a readline interface to emit
 * `keypress` events.
 */
export function onEsc(then: () => void): () => void {
  const isEsc = watchEsc();
  const onKey = (_text: string | undefined, key: { readonly name?: string }): void => {
    if (isEsc(key)) then();
  };
  process.stdin.on('keypress', onKey);
  return () => process.stdin.off('keypress', onKey);
}
