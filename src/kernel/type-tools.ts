/** Utility types. */

declare const brand: unique symbol;

/**
 * For values of the same type that must not be mixed up. Only the file that declares a brand may create its
 * values.
 */
export type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };

/** A mutable version of a type, for building a value. Consumers get the declared readonly type. */
export type Writable<Value> = { -readonly [Field in keyof Value]: Value[Field] };

/** The result of work that is synchronous unless it has to wait. */
export type MaybePromise<Value> = Value | Promise<Value>;
