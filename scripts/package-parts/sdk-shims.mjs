/** Replaces the SDK's module of the same purpose: it compiles no schemas. */

export const CORS_IS_POSSIBLE = false;

export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error('This client was created without a validator.');
  }
}
