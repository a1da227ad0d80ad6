/**
 * The page that a browser gets before it has a token. It contains no secrets and loads nothing from other
 * sites.
 */

import { escapeHtml } from '../masking/escape-text.ts';

/**
 * Takes only the name of the run file, because the full path would reveal where the user's home folder is.
 */
export function welcomePage(runFile: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>holt</title><link rel="icon" href="/icon.svg"></head>
<body>
<h1>holt is running</h1>
<p>This is the HTTP API of holt. Every request needs a token. There are two ways to get one:</p>
<ol>
<li>Read it from <code>run/${escapeHtml(runFile)}</code> in holt’s own folder (<code>~/.holt</code>, or where HOLT_HOME says) and send it as <code>Authorization: Bearer …</code>.</li>
<li>With the one-time code after <code>#c=</code> in the address that <code>holt serve --open</code> opens: send <code>POST /session</code> with <code>{"code": …}</code>. It works once, within 60 seconds.</li>
</ol>
<p>What can be asked is described at <code>/openapi.json</code>.</p>
</body>
</html>
`;
}

/** The letter h, without scripts or references. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f3b4d"/><path d="M11 7v18M11 19q0-5 5-5t5 5v6" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>
`;
