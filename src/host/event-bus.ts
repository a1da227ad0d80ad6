/** Delivers events to listeners. Never waits for a listener, and isolates the others from one that throws. */

import { HoltError } from '../kernel/errors.ts';
import {
  hostEventNames,
  type EventBus,
  type HostEvent,
  type HostEventName,
  type HostListener,
} from '../kernel/events.ts';
import { nearest } from '../kernel/nearest.ts';

export interface BusParts {
  readonly wallNow: () => number;
  readonly onListenerFailed: (name: HostEventName, error: unknown) => void;
}

type Listeners = { [Name in HostEventName]?: Set<HostListener<Name>> };

export function createEventBus({ wallNow, onListenerFailed }: BusParts): EventBus {
  const listeners: Listeners = {};
  let count = 0;
  const setOf = <Name extends HostEventName>(name: Name): Set<HostListener<Name>> => {
    const known: Set<HostListener<Name>> | undefined = listeners[name];
    if (known !== undefined) return known;
    const fresh = new Set<HostListener<Name>>();
    Object.assign(listeners, { [name]: fresh });
    return fresh;
  };
  const off: EventBus['off'] = (name, listener) => {
    setOf(name).delete(listener);
  };
  const deliver = <Name extends HostEventName>(name: Name, delivered: HostEvent<Name>): void => {
    for (const listener of setOf(name)) {
      try {
        const done: unknown = listener(delivered);
        // The listener may be an async function despite its type.
        if (isThenable(done)) done.then(undefined, (error: unknown) => onListenerFailed(name, error));
      } catch (error) {
        onListenerFailed(name, error);
      }
    }
  };
  // Queue events that a listener causes, so that every listener gets events in the order of their numbers.
  const waiting: (() => void)[] = [];
  return {
    emit: (name, event) => {
      count += 1;
      if (setOf(name).size === 0) return;
      const delivered = { ...event, at: new Date(wallNow()).toISOString(), id: count };
      if (waiting.push(() => deliver(name, delivered)) > 1) return;
      for (; waiting.length > 0; waiting.shift()) waiting[0]?.();
    },
    on: (name, listener) => {
      requireEvent(name, listener);
      setOf(name).add(listener);
      return () => off(name, listener);
    },
    off,
    isHeard: (name) => (listeners[name]?.size ?? 0) > 0,
    close: () => {
      for (const heard of Object.values(listeners)) heard.clear();
    },
  };
}

/** Checked at run time, because an untyped program may pass anything. */
function requireEvent(given: unknown, listener: unknown): void {
  const name = String(given);
  if (!hostEventNames.includes(name)) {
    const near = nearest(name, hostEventNames);
    const remedy =
      near === undefined ? `Use one of: ${hostEventNames.join(', ')}.` : `Did you mean "${near}"?`;
    const details = { given: name, ...(near === undefined ? {} : { nearest: near }) };
    throw new HoltError('usage-invalid', `Unknown event "${name}". ${remedy}`, details, { remedy });
  }
  if (typeof listener !== 'function')
    throw new HoltError('usage-invalid', `Invalid listener for "${name}": expected a function.`, {
      given: name,
    });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
