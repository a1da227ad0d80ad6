/** A server's request that is answered with an error. `code` is JSON-RPC's. */

export class RefusedRequest extends Error {
  static readonly methodNotFound = -32_601;
  /** What the protocol says when a person said no. */
  static readonly rejected = -1;

  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'RefusedRequest';
    this.code = code;
  }
}
