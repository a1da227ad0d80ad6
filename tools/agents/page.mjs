/** The page about the agents that were run, made from the results. */

import { checkNames } from './checks.mjs';
import { versionOf } from './drivers/programs.mjs';

export function pageOf(drivers, results) {
  const failed = results.filter(({ outcome }) => outcome === 'fail');
  return [
    '# Real agents',
    '',
    'Written by `npm run test:agents -- --write`, not by hand, and compared by every full run without `--write`.',
    '',
    `${drivers.length} released agents from npm run beside holt, each in a temporary home and project, without an account and without a network: in a`,
    'network namespace without interfaces, or, where none can be made, with proxy variables that name a closed port. In each scope that an agent',
    'has, the agent adds a stdio server (arguments, variables) and an HTTP server (headers), and so does holt. "Reads the same" compares the name,',
    'transport, command, arguments, names of variables and headers, URL, scope, file and line that holt shows, and what the agent shows of these.',
    '',
    row(['check', ...drivers.map(({ label, package: name }) => `${label} ${versionOf(name)}`)]),
    row(['---', ...drivers.map(() => '---')]),
    row(['scopes', ...drivers.map(({ scopes }) => scopes.join(', '))]),
    ...Object.entries(checkNames).map(([check, name]) =>
      row([name, ...drivers.map((driver) => cellOf(driver, check, results))]),
    ),
    '',
    '- **pass**: in every scope, or in those named.',
    '- **not offered**: the agent has no command for it in this scope.',
    '- **no effect**: the agent has the command, and its own list says the same as before; the note below says why.',
    '- **not shown**: the agent’s list does not know its own switch. What holt writes is obeyed by sessions, which the last row shows.',
    '- **not run**: it needs an account.',
    '- A **session** is the agent asked to say hello, with a made-up key. No model answers, but the agent has started its servers by then.',
    '',
    ...(failed.length === 0 ? [] : ['## What fails', '', ...failed.map(failureLine), '']),
    '## Notes',
    '',
    ...drivers.flatMap(({ label, notes = [] }) => notes.map((note) => `- **${label}**: ${note}`)),
    '',
    '## What was not run',
    '',
    '- What needs an account or a model: logins, tool calls that a model makes, and sessions of GitHub Copilot CLI.',
    '- Dialogs of the agents’ own screens. Where a dialog is the only switch, its file is written as the dialog writes it.',
    '- Agents that need more than a package from npm (Cursor, VS Code and other editors, Goose, Kiro, Amazon Q) or download their program during installation (Crush).',
    '- Other agents on npm, such as Amp, Cline, Auggie, Factory Droid, Kilo and Qoder: their files are covered by tests with recorded files only.',
    '- Answers of Qwen Code about servers of a shared `.mcp.json`: holt reads those about `.qwen/settings.json`, and not where the entry has placeholders.',
    '- macOS and Windows.',
    '',
  ].join('\n');
}

function cellOf({ id, scopes }, check, results) {
  const own = results.filter((result) => result.agent === id && result.check === check);
  const outcomes = [...new Set(own.map(({ outcome }) => outcome))];
  const shown = (outcome) => (outcome === 'fail' ? '**fail**' : outcome);
  if (outcomes.length === 1) return shown(outcomes[0]);
  // In the order of the row above: two scopes run at the same time.
  return outcomes
    .map((outcome) => {
      const those = scopes.filter((scope) =>
        own.some((one) => one.scope === scope && one.outcome === outcome),
      );
      return { first: scopes.indexOf(those[0]), text: `${those.join(', ')}: ${shown(outcome)}` };
    })
    .toSorted((one, other) => one.first - other.first)
    .map(({ text }) => text)
    .join('; ');
}

function failureLine({ agent, scope, check, reason }) {
  return `- **${agent}**, ${scope}, ${checkNames[check]}: ${reason.replaceAll(/\s+/g, ' ')}`;
}

function row(cells) {
  return `| ${cells.join(' | ')} |`;
}
