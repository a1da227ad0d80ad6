/**
 * Takes the place of the SDK's own validator, which would compile each server's schema into code and run it; here the schema
 * is only read, and its work is bounded. Results of tools are checked before, by `sdk-client.ts`: this check cannot pause.
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
