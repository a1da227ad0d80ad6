/** The pages a browser ends at after a login. They are constants: nothing of a request ever gets into one. */

import { createHash } from 'node:crypto';

export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const style =
  'body{margin:0;min-height:100vh;display:grid;place-content:center;text-align:center;background:#111;color:#ddd;font:16px/1.5 system-ui,sans-serif}h1{font-size:22px;font-weight:600;margin:0 0 8px}p{margin:0;color:#999}';

/** Takes the code out of the address and the history, then goes. */
const leave = "history.replaceState(null,'',location.pathname);";
const leaveAndClose = `${leave}setTimeout(()=>close(),2000);`;

const always = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function policy(sources: string): string {
  return `default-src 'none'; ${sources}base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

interface PageText {
  readonly status: number;
  readonly title: string;
  readonly text: string;
  readonly script: string;
}

function page({ status, title, text, script }: PageText): Page {
  return {
    status,
    headers: {
      ...always,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy(`style-src ${hashOf(style)}; script-src ${hashOf(script)}; `),
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="dark"><title>holt</title><style>${style}</style><main><h1>${title}</h1><p>${text}</p></main><script>${script}</script></html>\n`,
  };
}

function refusal(status: number, text: string, more: Readonly<Record<string, string>> = {}): Page {
  return {
    status,
    headers: {
      ...always,
      ...more,
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Security-Policy': policy(''),
    },
    body: `${text}\n`,
  };
}

export const successPage = page({
  status: 200,
  title: 'You are logged in',
  text: 'This page closes by itself. Go back to holt.',
  script: leaveAndClose,
});

/** The reason is for the terminal: here it would be a stranger's text on our page. */
export const errorPage = page({
  status: 200,
  title: 'The login failed',
  text: 'The terminal says why. You can close this page.',
  script: leave,
});

export const refusals = {
  notFound: refusal(404, 'Not Found'),
  method: refusal(405, 'Method Not Allowed', { Allow: 'GET' }),
  missingState: refusal(400, 'Missing state parameter'),
  invalidState: refusal(400, 'Invalid state'),
  missingCode: refusal(400, 'Missing code parameter'),
  repeated: refusal(400, 'Repeated parameter'),
  foreignIssuer: refusal(400, 'Invalid issuer'),
  tooLong: refusal(414, 'URI Too Long'),
} as const;
