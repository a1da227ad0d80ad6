/** Writes changes of a running host to files with the same code as the commands. `holt undo` reverts them. */

import { isDeepStrictEqual } from 'node:util';

import { agentIdOf, type AgentId } from '../kernel/agent-ids.ts';
import { HoltError } from '../kernel/errors.ts';
import type { Machine } from '../kernel/machine.ts';
import type { ServerDefinition } from '../kernel/servers.ts';
import type { Files } from '../platform/files/files.ts';
import { hasLiteralValues } from '../roster/runtime-servers.ts';
import type { SaveTarget } from './host.ts';

export interface SaverParts {
  readonly machine: Machine;
  readonly files: Files;
  readonly now: () => number;
  /** Returns what the files of one agent define now. */
  readonly loadDefinitions: (agent: AgentId) => Promise<readonly ServerDefinition[]>;
}

interface Place {
  readonly agent: AgentId;
  readonly scope: NonNullable<SaveTarget['scope']>;
}

/** An entry that this host has written. */
interface SavedEntry extends Place {
  readonly name: string;
  readonly config: unknown;
  /** The entry as it reads after it was written. */
  readonly value: unknown;
}

interface FoundEntry {
  readonly file: string;
  /** Undefined when the file has no entry of that name now. */
  readonly definition: ServerDefinition | undefined;
  readonly saved: SavedEntry | undefined;
}

/** Saves changes. Loads the editing code on first use, because few hosts write anything. */
export class Saver {
  readonly #parts: SaverParts;
  /** The entries that this host wrote. It may replace no others. */
  readonly #saved = new Map<string, SavedEntry>();

  constructor(parts: SaverParts) {
    this.#parts = parts;
  }

  async added(name: string, config: unknown, target: SaveTarget): Promise<void> {
    const place = placeOf(target);
    const { alreadyExists, applyAdd, planAdd } = await import('../editing/add-server.ts');
    const plan = await planAdd({ name, config, ...place, replace: true }, this.#parts);
    const known = this.#saved.get(keyOf(name, place));
    // The entry is not from this host, or another program has changed it since.
    if (plan.previous !== undefined && !isDeepStrictEqual(plan.previous, known?.value))
      throw alreadyExists(name, plan.file);
    if (hasLiteralValues(config) && plan.lost.length > 0) throw notLiteral(plan);
    await applyAdd(plan, this.#parts);
    await this.#remember({ name, config, ...place });
  }

  async removed(definition: ServerDefinition, target: SaveTarget): Promise<void> {
    const { removeServer } = await import('../editing/remove-server.ts');
    for (const { file, definition: found, saved } of await this.#find(definition, target)) {
      // Another program may have removed what this host wrote.
      if (found === undefined && saved === undefined) throw notInFile(definition, file);
      if (found !== undefined) await removeServer(found, this.#parts);
      if (saved !== undefined) this.#saved.delete(keyOf(saved.name, saved));
    }
  }

  async switched(definition: ServerDefinition, state: 'on' | 'off', target: SaveTarget): Promise<void> {
    const { setEnabled } = await import('../editing/set-enabled.ts');
    for (const { file, definition: found, saved } of await this.#find(definition, target)) {
      if (found === undefined) throw notInFile(definition, file);
      await setEnabled(found, state, this.#parts);
      if (saved !== undefined) await this.#remember(saved);
    }
  }

  /** True when this host has written an entry of that name and has not removed it. */
  hasSaved(name: string): boolean {
    return [...this.#saved.values()].some((entry) => entry.name === name);
  }

  async #remember({ name, config, agent, scope }: Omit<SavedEntry, 'value'>): Promise<void> {
    const { planAdd } = await import('../editing/add-server.ts');
    const { previous: value } = await planAdd({ name, config, agent, scope, replace: true }, this.#parts);
    this.#saved.set(keyOf(name, { agent, scope }), { name, config, agent, scope, value });
  }

  /**
   * Finds the entries to change: where the definition came from, else where this host wrote it, else
   * `target`.
   */
  async #find(definition: ServerDefinition, target: SaveTarget): Promise<readonly FoundEntry[]> {
    const { name, origin } = definition;
    if (origin.file !== '' && (await this.#isMeant(definition, target)))
      return [{ file: origin.file, definition, saved: undefined }];
    const written = [...this.#saved.values()].filter(
      (entry) => entry.name === name && isWithin(entry, target),
    );
    if (written.length > 0) return Promise.all(written.map((entry) => this.#look(name, entry, entry)));
    return [await this.#look(name, placeOf(target), undefined)];
  }

  async #isMeant({ origin }: ServerDefinition, { agent: word, scope }: SaveTarget): Promise<boolean> {
    if (scope !== undefined && scope !== origin.scope) return false;
    const agent = word === undefined ? undefined : agentIdOf(word);
    if (word === undefined || agent === origin.agent) return true;
    const { writtenFile } = await import('../editing/writers.ts');
    return agent !== undefined && writtenFile(agent, origin.scope, this.#parts) === origin.file;
  }

  async #look(name: string, { agent, scope }: Place, saved: SavedEntry | undefined): Promise<FoundEntry> {
    const { findTarget } = await import('../editing/writers.ts');
    const target = findTarget(agent, scope, this.#parts);
    const definitions = await this.#parts.loadDefinitions(target.reader.id);
    const definition = definitions.find(
      (each) => each.name === name && each.origin.file === target.file && each.origin.scope === target.scope,
    );
    return { file: target.file, definition, saved };
  }
}

function placeOf({ agent = 'holt', scope = 'user' }: SaveTarget): Place {
  const id = agentIdOf(agent);
  if (id !== undefined) return { agent: id, scope };
  throw new HoltError('agent-unknown', `Unknown agent "${agent}"`, { agent });
}

function isWithin(place: Place, { agent = place.agent, scope = place.scope }: SaveTarget): boolean {
  return place.agent === agentIdOf(agent) && place.scope === scope;
}

function keyOf(name: string, { agent, scope }: Place): string {
  return JSON.stringify([agent, scope, name]);
}

function notInFile({ name }: ServerDefinition, file: string): HoltError<'config-not-ours'> {
  const reason = `${file} has no entry of that name`;
  return new HoltError(
    'config-not-ours',
    `"${name}" is not changed: ${reason}`,
    { server: name, file, reason },
    {
      remedy: 'Name the agent and the scope in `save`, or leave `save` out to change the running host only.',
    },
  );
}

/** The error for literal values that would be read as placeholders once they are in a file. */
function notLiteral({ file, lost }: { readonly file: string; readonly lost: readonly string[] }): HoltError {
  const reason = `it cannot be written to ${file} as it is: ${lost.join(', ')}`;
  return new HoltError('config-invalid', `Invalid server config: ${reason}`, { errors: [reason] });
}
