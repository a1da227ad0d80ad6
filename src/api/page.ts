/** The page that a browser gets before it has a token. Nothing in it is secret, and nothing in it is anybody else's. */

import { escapeHtml } from '../masking/escape-text.ts';

/** Where the user's home is, is nobody's business either. */
export function welcomePage(runFile: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>holt</title></head>
<body>
<h1>holt is running</h1>
<p>Every request needs a token. There are two ways to get one:</p>
<ol>
<li>Send <code>POST /session</code> with <code>{"code": …}</code>: the code stands after <code>#c=</code> in the link that <code>holt serve</code> printed when it started. It works once, within 60 seconds.</li>
<li>Read it from <code>run/${escapeHtml(runFile)}</code> in holt’s own folder (<code>~/.holt</code>, or where HOLT_HOME says) and send it as <code>Authorization: Bearer …</code>.</li>
</ol>
<p>What can be asked is described at <code>/openapi.json</code>.</p>
</body>
</html>
`;
}
