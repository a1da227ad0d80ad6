/** An error response to a server's request. `code` is the JSON-RPC error code. */

export class RefusedRequest extends Error {
  static readonly methodNotFound = -32_601;
  /** The code that the protocol uses when the user rejects a request. */
  static readonly rejected = -1;

  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'RefusedRequest';
    this.code = code;
  }
}
