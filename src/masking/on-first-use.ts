/** Creates slow, rarely needed tables on first use: most text is plain, and most commands are short. */

export function onFirstUse<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
