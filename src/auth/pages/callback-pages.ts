/** The pages that the browser shows after a login. They never contain data from the request. */

import { sha256 } from '../../kernel/hash.ts';
import { escapeHtml } from '../../masking/escape-text.ts';

export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const style =
  'body{margin:0;min-height:100vh;display:grid;place-content:center;text-align:center;background:#111;color:#ddd;font:16px/1.5 system-ui,sans-serif}h1{font-size:22px;font-weight:600;margin:0 0 8px}p{margin:0;color:#999}';

/** Removes the code from the address bar and the history. */
const leave = "history.replaceState(null,'',location.pathname);";
const leaveAndClose = `${leave}setTimeout(()=>close(),2000);`;

const always = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

function hashOf(text: string): string {
  return `'sha256-${Buffer.from(sha256(text), 'hex').toString('base64')}'`;
}

function policy(sources: string): string {
  return `default-src 'none'; ${sources}base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

interface PageText {
  readonly title: string;
  readonly heading?: string;
  readonly script: string;
}

function page({ title, heading, script }: PageText): Page {
  const first = heading === undefined ? '' : `<h1>${heading}</h1>`;
  return {
    status: 200,
    headers: {
      ...always,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy(`style-src ${hashOf(style)}; script-src ${hashOf(script)}; `),
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="dark"><title>${escapeHtml(title)}</title><style>${style}</style><main>${first}<p>You can close this window</p></main><script>${script}</script></html>\n`,
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

export interface CallbackPages {
  /** Does not report success: that is known only after the code exchange, where the login was started. */
  readonly received: Page;
  /**
   * Does not show the reason: it would put text from another party on holt's page. It is reported where the
   * login was started.
   */
  readonly failed: Page;
}

/** `title` is the name of the program that the user logs in for. */
export function callbackPages(title: string): CallbackPages {
  return {
    received: page({ title, script: leaveAndClose }),
    failed: page({ title, heading: 'The login failed', script: leave }),
  };
}

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
