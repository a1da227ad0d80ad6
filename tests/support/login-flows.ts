/** A login server that is only a table of responses, and a server that requires its login. */

import type { LoginTarget } from '../../src/auth/login-target.ts';

export interface AskedRequest {
  readonly route: string;
  readonly form: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

export interface AnswerTable {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  readonly asked: readonly AskedRequest[];
}

type Answer = object | number | ((request: AskedRequest) => object | number);

/** `GET https://a.test/x` to the JSON that it gives, to a status, or to what decides; anything else is 404. */
export function answerTable(answers: Readonly<Record<string, Answer>>): AnswerTable {
  const asked: AskedRequest[] = [];
  return {
    asked,
    fetch: async (url, init = {}) => {
      const body = typeof init.body === 'string' ? init.body : '';
      const request: AskedRequest = {
        route: `${init.method ?? 'GET'} ${String(url)}`,
        form: Object.fromEntries(new URLSearchParams(body)),
        headers: Object.fromEntries(new Headers(init.headers)),
      };
      asked.push(request);
      const given = answers[request.route] ?? 404;
      const answer =
        typeof given === 'function' ? (given as (request: AskedRequest) => object | number)(request) : given; // a function is one
      if (typeof answer === 'number') return new Response('', { status: answer });
      const { status = 200, ...json } = answer as { readonly status?: number }; // any other field is the answer
      return Response.json(json, { status });
    },
  };
}

export const issuer = 'https://login.test';

export function metadata(change: object = {}): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    ...change,
  };
}

export const metadataRoute = `GET ${issuer}/.well-known/oauth-authorization-server`;
export const resourceRoute = 'GET https://shop.test/.well-known/oauth-protected-resource/mcp';
export const resource = { resource: 'https://shop.test/mcp', authorization_servers: [issuer] };

export function targetFor(change: Partial<LoginTarget> = {}): LoginTarget {
  const serverUrl = change.serverUrl ?? 'https://shop.test/mcp';
  return {
    server: 'shop',
    serverUrl,
    url: new URL(serverUrl),
    credentialId: 'mcp:shop',
    isNamed: false,
    oauth: {},
    ...change,
  };
}
