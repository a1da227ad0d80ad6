/** Names for values that look alike but must not be mixed up. Only the file that declares a brand may mint it. */

declare const brand: unique symbol;

export type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };
