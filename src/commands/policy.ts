/** `holt policy explain TOOL`: shows whether a tool may be called, and which rule decides. Calls nothing. */

import type { PolicyExplanation } from '../host/host.ts';
import { escapeLine } from '../masking/escape-text.ts';
import type { Style } from '../terminal/style.ts';
import { formatTable } from '../terminal/table.ts';
import { defineCommand, usage } from './command.ts';
import { withHost } from './with-host.ts';

export const policy = defineCommand<PolicyExplanation>({
  name: 'policy',
  wrapsLines: true,
  summary: 'Whether a tool may be called, and which rule says so',
  usage: 'policy explain TOOL',
  options: {},
  completes: ['explain'],
  completesAfter: { explain: 'tools' },

  async run({ positionals }, context) {
    const tool = requireTool(positionals);
    return withHost(context, (host) => host.explain(tool));
  },

  render({ name, server, tool, decision, rule, reason }, style) {
    const place = rule?.file === undefined ? undefined : placeOf(rule.file, rule.line);
    return [
      `${escapeLine(name)}  ${paintOf(decision, style)(decision)}`,
      ...formatTable(
        [
          ['  server', escapeLine(server)],
          ['  tool', escapeLine(tool)],
          ...(rule === undefined ? [] : [['  rule', escapeLine(rule.text)]]),
          ...(place === undefined ? [] : [['  file', escapeLine(place)]]),
          ['  reason', escapeLine(reason)],
        ],
        style.columns,
      ),
    ];
  },

  json: ({ name, server, tool, decision, rule, reason }) => ({
    name,
    server,
    tool,
    decision,
    ...(rule === undefined ? {} : { rule }),
    reason,
  }),
});

/** A tool may also be given as two words, `s t`. */
function requireTool([verb, ...words]: readonly string[]): string {
  if (verb === 'explain' && words.length > 0 && words.length <= 2) return words.join(' ');
  throw usage(
    verb === 'explain' ? 'holt policy explain takes one tool' : 'holt policy knows only explain',
    'holt policy explain TOOL',
    [verb, ...words].join(' '),
  );
}

function placeOf(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`;
}

function paintOf(decision: PolicyExplanation['decision'], style: Style): (text: string) => string {
  if (decision === 'deny') return style.red;
  return decision === 'allow' ? style.green : style.yellow;
}
