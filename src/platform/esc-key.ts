/** The Esc key at a question: no answer. Many other keys begin with its code, so it is Esc only when nothing follows. */

/** How long something may follow: for the readers of questions. */
export const escMs = 100;

/** How much earlier than asked for a timer may go off. */
const earlyMs = 5;

/** Tells whether a key is an Esc that was pressed from now on: of an earlier one, the wait may still be under way. */
export function watchEsc(): (key: { readonly name?: string }) => boolean {
  const since = performance.now();
  return ({ name }) => name === 'escape' && performance.now() - since >= escMs - earlyMs;
}

/** Until the answer is called. Somebody else reads the keys. */
export function onEsc(then: () => void): () => void {
  const isEsc = watchEsc();
  const onKey = (_text: string | undefined, key: { readonly name?: string }): void => {
    if (isEsc(key)) then();
  };
  process.stdin.on('keypress', onKey);
  return () => process.stdin.off('keypress', onKey);
}
