/** A promise with `resolve` and `reject` exposed. An unhandled rejection does not crash the process. */

export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: Error): void;
}

export function createDeferred<Value>(): Deferred<Value> {
  let handles: Pick<Deferred<Value>, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    handles = { resolve, reject };
  });
  promise.catch(() => undefined);
  return { promise, resolve: (value) => handles?.resolve(value), reject: (error) => handles?.reject(error) };
}
