/** A schema for the SDK that accepts any result, because the result is checked elsewhere or not used. */

import type { StandardSchemaV1 } from '@modelcontextprotocol/client';

type AnyObject = Readonly<Record<string, unknown>>;

export const anyResult: StandardSchemaV1<unknown, AnyObject> = {
  '~standard': { version: 1, vendor: 'holt', validate: (value) => ({ value: value as AnyObject }) }, // results are objects: the SDK has checked that
};
