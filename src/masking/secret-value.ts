/** A secret that cannot be printed by accident: whoever wants the text has to ask for it by `reveal()`. */

/** What stands where a secret was. */
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

  /** What util.inspect and console.log show. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return secretText;
  }
}
