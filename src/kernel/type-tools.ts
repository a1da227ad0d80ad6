/** Types made of other types. */

declare const brand: unique symbol;

/** For values that look alike but must not be mixed up. Only the file that declares a brand may mint it. */
export type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };

/** A value while it is being put together. Whoever gets it sees it as it is declared. */
export type Writable<Value> = { -readonly [Field in keyof Value]: Value[Field] };
