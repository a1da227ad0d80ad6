/** Calls something off, once, for one reason: by a signal for those who need one, and without one for all others. */

export class StopSwitch {
  #controller: AbortController | undefined;
  #listener: ((reason: unknown) => void) | undefined;
  #stopped: { readonly reason: unknown } | undefined;

  /** Made when somebody asks for it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stopped !== undefined) this.#controller.abort(this.#stopped.reason);
    return this.#controller.signal;
  }

  /** The same as the signal without one, for one listener. */
  onStop(listener: (reason: unknown) => void): void {
    this.#listener = listener;
    if (this.#stopped !== undefined) listener(this.#stopped.reason);
  }

  protected stop(reason: unknown): void {
    this.#stopped ??= { reason };
    this.#controller?.abort(reason);
    this.#listener?.(reason);
  }
}
