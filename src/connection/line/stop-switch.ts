/**
 * Cancels an operation once, with one reason: through an AbortSignal where one is needed, and through a
 * cheaper listener otherwise.
 */

export class StopSwitch {
  #controller: AbortController | undefined;
  #listener: ((reason: unknown) => void) | undefined;
  #stopped: { readonly reason: unknown } | undefined;

  /** Created on first access. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stopped !== undefined) this.#controller.abort(this.#stopped.reason);
    return this.#controller.signal;
  }

  /** A cheaper alternative to `signal`, for one listener. */
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
