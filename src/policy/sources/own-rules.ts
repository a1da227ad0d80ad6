/** holt's own rules: from its settings in all layers, and from the program that opens a host. */

import { liesInProject, type Machine } from '../../kernel/machine.ts';
import type { LoadedSettings } from '../../settings/load-settings.ts';
import type { Permissions, SettingOrigin } from '../../settings/settings.ts';
import { decisions, type PolicyRule, type PolicyRules } from '../policy-rule.ts';
import { lostRules } from './rule-files.ts';

/** Returns the rules of all settings layers, and an unreadable rule for each file that was refused. */
export function settingsRules(
  { settings, sources }: LoadedSettings,
  machine: Machine,
): readonly PolicyRule[] {
  const isGuarded = ({ from, file }: Pick<SettingOrigin, 'from' | 'file'>): boolean =>
    from === 'local' ||
    from === 'project' ||
    (file !== undefined && from === 'user' && liesInProject(file, machine));
  const lost = sources
    .filter(({ outcome }) => outcome === 'refused')
    .map((source) => lostRules(source.file, isGuarded(source)));
  const written = decisions.flatMap((effect) =>
    settings.permissions[effect].map(({ rule, origin }): PolicyRule => ({
      effect,
      text: rule,
      form: 'double',
      ...placeOf(origin),
      guarded: isGuarded(origin),
    })),
  );
  return [...written, ...lost];
}

/** An environment variable or a flag is reported in place of a file. */
function placeOf({ from, file, line, variable }: SettingOrigin): Pick<PolicyRule, 'file' | 'line'> {
  const named = file ?? variable ?? `--${from === 'flag' ? 'permissions' : from}`;
  return line === undefined ? { file: named } : { file: named, line };
}

/** Whether an administrator has set allow rules. All other allow rules are then ignored. */
export function isAllowLocked({ contributions }: LoadedSettings): boolean {
  return contributions.some(
    ({ name, origin, value }) =>
      name === 'permissions' &&
      origin.from === 'managed' &&
      (value as Partial<Permissions>).allow !== undefined, // the settings table guarantees this type
  );
}

/** Returns the rules of the program that opens a host. */
export function givenRules(given: PolicyRules): readonly PolicyRule[] {
  return decisions.flatMap((effect) =>
    (given[effect] ?? []).map((text): PolicyRule => ({ effect, text, form: 'double', guarded: false })),
  );
}
