/**
 * Replaces the SDK's validator, which compiles each server's schema to code and runs it. This one only
 * interprets the schema, with bounded work. `sdk-clients.ts` checks tool results before, because this check is
 * synchronous and cannot yield.
 */

import type { ClientOptions } from '@modelcontextprotocol/client';

import { checkOutput } from '../catalog/check-output.ts';

type Validator = NonNullable<ClientOptions['jsonSchemaValidator']>;

export const resultValidator: Validator = {
  getValidator: (schema) => (input) => {
    const failures = checkOutput(schema, input);
    return failures.length === 0
      ? { valid: true, data: input as never, errorMessage: undefined } // whatever the schema says it is
      : { valid: false, data: undefined, errorMessage: failures.join('; ') };
  },
};
