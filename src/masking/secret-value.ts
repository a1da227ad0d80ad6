/** A secret that cannot be printed by accident. Only `reveal()` returns the value. */

/** The replacement for a secret in any output. */
export const secretText = '[secret]';

export class SecretValue {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return secretText;
  }

  toJSON(): string {
    return secretText;
  }

  valueOf(): string {
    return secretText;
  }

  [Symbol.toPrimitive](): string {
    return secretText;
  }

  get [Symbol.toStringTag](): string {
    return secretText;
  }

  /** The output of util.inspect and console.log. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return secretText;
  }
}
