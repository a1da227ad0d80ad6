/**
 * Work that is synchronous when it is small and otherwise lets the event loop run in between. Work that fits
 * into one slice returns a plain value, so a normal check creates no promise.
 */

export type Later<Value> = Value | Promise<Value>;

export function after<Value, Next>(value: Later<Value>, next: (value: Value) => Later<Next>): Later<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** A computation that may have to wait: it yields each promise that it needs before it can go on. */
export type Steps<Value> = Generator<Promise<unknown>, Value, undefined>;

export function runSteps<Value>(steps: Steps<Value>): Later<Value> {
  const first = steps.next();
  return first.done === true ? first.value : finishSteps(steps, first.value);
}

async function finishSteps<Value>(steps: Steps<Value>, first: Promise<unknown>): Promise<Value> {
  let pending = first;
  for (;;) {
    await pending;
    const next = steps.next();
    if (next.done === true) return next.value;
    pending = next.value;
  }
}

/** Waits for a value inside `Steps`. */
export function* settle<Value>(value: Later<Value>): Steps<Value> {
  if (!(value instanceof Promise)) return value;
  const settled: Value[] = [];
  yield value.then((found) => settled.push(found));
  return settled[0] as Value; // these steps only continue after the promise was fulfilled
}
