/** Resolves an allow rule to a server. The rule must name exactly one server literally: an ambiguous rule, or one with `*` in the server's name, allows nothing. */

import type { PolicyRule, PolicyServer, RuleFault } from '../policy-rule.ts';
import { builtInPrefix, isUnfinished, readRule, sanitise, serverPrefix } from './rule-names.ts';

/** `*` as the tool means all tools of the server. */
export interface AllowReading {
  readonly server: string;
  readonly tool: string;
}

export type AllowVerdict =
  | { readonly kind: 'server'; readonly pattern: string; readonly reading: AllowReading }
  | { readonly kind: 'built-in'; readonly pattern: string }
  /** No server has that name now, or the rule is about something else. */
  | { readonly kind: 'idle'; readonly pattern: string }
  | { readonly kind: 'refused'; readonly pattern: string; readonly fault: RuleFault };

/** Resolves a rule against the servers that exist now. */
export function readAllow(rule: PolicyRule, servers: readonly PolicyServer[]): AllowVerdict {
  return rule.form === 'plain' ? readPlain(rule, servers) : readDouble(rule, servers);
}

function readDouble(rule: PolicyRule, servers: readonly PolicyServer[]): AllowVerdict {
  const read = readRule(rule.text);
  if (read.kind === 'unreadable') {
    return refused(rule, rule.text, { why: `cannot be read: ${read.reason}`, code: 'setting-invalid' });
  }
  const { pattern } = read;
  if (pattern.startsWith(builtInPrefix)) return { kind: 'built-in', pattern };
  const name = pattern.slice(serverPrefix.length);
  const star = pattern.indexOf('*');
  // The `*` is in the server's name, whatever the servers are called.
  if (
    !pattern.startsWith(serverPrefix) ||
    (star !== -1 && !pattern.slice(serverPrefix.length, star).includes('__'))
  ) {
    return refused(rule, pattern, {
      why: 'allows nothing: an allow rule names its server, letter for letter',
      remedy: `Write one rule for each server: ${serverPrefix}<server>.`,
    });
  }
  if (!/^[\w*-]+$/.test(pattern)) {
    return refused(rule, pattern, {
      why: 'allows nothing: names in rules have only letters, digits, "_" and "-"',
      remedy: `Write ${pattern.split('*').map(sanitise).join('*')}.`,
    });
  }
  const whole = servers
    .filter(({ ref }) => name === sanitise(ref))
    .map(({ ref }) => ({ server: ref, tool: '*' }));
  const readings = [...whole, ...toolReadings(name, '__', servers)];
  if (readings.length === 0 && isUnfinished(pattern, servers)) {
    return refused(rule, pattern, {
      why: 'allows nothing: the name of a tool is missing at its end',
      remedy: `Write ${pattern.slice(0, -2)} for all tools of the server, or ${pattern}<tool>.`,
    });
  }
  return choose(rule, pattern, readings);
}

/** opencode's patterns also cover its built-in tools. A pattern that matches no server is about those. */
function readPlain(rule: PolicyRule, servers: readonly PolicyServer[]): AllowVerdict {
  const pattern = rule.text;
  const readings = toolReadings(pattern, '_', servers);
  if (readings.length > 0 || !/[*?]/.test(pattern)) return choose(rule, pattern, readings);
  return refused(rule, pattern, {
    why: 'allows no server’s tools: an allow rule names its server, letter for letter',
    remedy: 'Write one rule for each server: "<server>_*".',
    severity: 'info',
  });
}

function toolReadings(
  name: string,
  separator: string,
  servers: readonly PolicyServer[],
): readonly AllowReading[] {
  return servers.flatMap(({ ref }) => {
    const head = `${sanitise(ref)}${separator}`;
    return name.startsWith(head) && name.length > head.length
      ? [{ server: ref, tool: name.slice(head.length) }]
      : [];
  });
}

function choose(rule: PolicyRule, pattern: string, readings: readonly AllowReading[]): AllowVerdict {
  const [reading, ...others] = readings;
  if (reading === undefined) return { kind: 'idle', pattern };
  if (others.length === 0) return { kind: 'server', pattern, reading };
  return refused(rule, pattern, {
    why: `allows nothing: it can mean ${readings.map(describe).join(' or ')}`,
    remedy: 'Rename one of the servers, or use the name with the eight digits that holt tools shows.',
  });
}

function describe({ server, tool }: AllowReading): string {
  return tool === '*' ? `all tools of "${server}"` : `tool "${tool}" of "${server}"`;
}

interface Refusal {
  readonly why: string;
  readonly remedy?: string;
  readonly severity?: RuleFault['severity'];
  readonly code?: RuleFault['code'];
}

function refused(rule: PolicyRule, pattern: string, refusal: Refusal): AllowVerdict {
  const {
    why,
    remedy,
    severity = rule.agent === undefined ? 'error' : 'warning',
    code = 'setting-ignored',
  } = refusal;
  const message = `the allow rule "${rule.text}" ${why}`;
  const fault: RuleFault = { rule, severity, code, message, ...(remedy === undefined ? {} : { remedy }) };
  return { kind: 'refused', pattern, fault };
}
