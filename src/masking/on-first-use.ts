/** For tables that are slow to make and seldom needed: most text is plain, and most commands are short. */

export function onFirstUse<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
