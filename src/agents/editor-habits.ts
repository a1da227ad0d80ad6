/** How editors treat fields that other agents use, and how holt treats the editors' own fields. */

import type { Habit } from './habits.ts';

/** holt loads no files of variables: their contents would reach a server without being shown. */
export const envFileHabit: Habit = {
  key: 'envFile',
  code: 'not-evaluated',
  message: '"envFile" is not read: holt loads no files of variables',
  remedy: 'Put the variables in "env", or set them in the environment.',
};

/** For agents that switch servers on and off outside the file. */
export function switchHabits(label: string): readonly Habit[] {
  const note = (key: string, value: boolean): Habit => ({
    key,
    value,
    code: 'agent-ignores',
    message: `${label} does not look at "${key}": the server is on`,
    remedy: `Switch it off in ${label} itself, or remove it here.`,
  });
  return [note('disabled', true), note('enabled', false)];
}
