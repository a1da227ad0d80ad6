/**
 * Leaves the schema compiler out that the SDK brings along, a quarter of its size: every client is made with a validator of
 * holt's own. What stands in its place says so, should a client ever be made without one.
 */

const instead = `
export const CORS_IS_POSSIBLE = false;
export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error('this client was made without a validator');
  }
}`;

export const withoutCompiler = {
  name: 'without-compiler',
  setup: (work) => {
    work.onResolve({ filter: /^@modelcontextprotocol\/client\/_shims$/ }, () => ({
      path: 'shims',
      namespace: 'without-compiler',
    }));
    work.onLoad({ filter: /./, namespace: 'without-compiler' }, () => ({ contents: instead }));
  },
};
