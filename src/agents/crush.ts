/**
 * Crush: `mcp` in `crush.json`, merged over system, user, data and project files. Values may contain shell
 * commands, which stay text until the server may run. `crushrc` is a shell script, whose existence is only
 * reported.
 */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { Machine } from '../kernel/machine.ts';
import type { AgentFormat, EntryContext, Location } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { createWriter } from './create-writer.ts';
import { holdsShellCommand, reportCommands } from './field-warnings.ts';
import { readBoolean } from './fields.ts';
import { localAppData, managedFile, plainJson, userFile, walkFiles, xdgConfig } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: 'crush',
  urls: [{ key: 'url', untyped: { refusedAs: 'takes a server without "type" for a program' } }],
  typeNames: { stdio: 'stdio', http: 'http', sse: 'sse' },
  both: 'type-decides',
  off: { key: 'disabled', value: true },
  timeouts: [{ key: 'timeout', unit: 's', means: 'start' }],
  include: ['enabled_tools'],
  exclude: ['disabled_tools'],
  oauth: {
    clientId: 'oauth_client_id',
    clientSecret: 'oauth_client_secret',
    callbackPort: 'oauth_callback_port',
  },
  writes: { types: { stdio: 'stdio', http: 'http', sse: 'sse' }, noCwd: true },
};

export const crush: AgentFormat = {
  id: 'crush',
  label: 'Crush',
  shape,
  combine: 'fields',
  locate: (machine) => [
    ...(machine.os === 'windows' ? [] : [managedFile('/etc/crush/crush.json', { refuses: plainJson })]),
    userFile(machine.path.join(configFolder(machine), 'crush.json'), { refuses: plainJson }),
    userFile(machine.path.join(dataFolder(machine), 'crush.json'), { refuses: plainJson }),
    ...inWalk(machine, 'crush.json'),
  ],
  scripts: (machine) => [
    machine.path.join(configFolder(machine), 'crushrc'),
    ...inWalk(machine, 'crushrc').map(({ path }) => path),
  ],
  layer: (file) => mapLayer(file, ['mcp']),
  read: readCrushEntry,
  writer: createWriter({
    shape,
    files: {
      user: ({ machine }) => machine.path.join(configFolder(machine), 'crush.json'),
      project: ['crush.json', '.crush.json'],
    },
    keys: [['mcp']],
  }),
};

function configFolder(machine: Machine): string {
  const moved = machine.env['CRUSH_GLOBAL_CONFIG'];
  return moved === undefined || moved === ''
    ? xdgConfig(machine, 'crush')
    : machine.path.resolve(machine.cwd, moved);
}

/** The folder for files that Crush itself writes, logins included. */
function dataFolder(machine: Machine): string {
  const { path, env, homeDir } = machine;
  const moved = env['XDG_DATA_HOME'];
  if (moved !== undefined && moved !== '') return path.join(moved, 'crush');
  return machine.os === 'windows'
    ? localAppData(machine, 'crush')
    : path.join(homeDir, '.local', 'share', 'crush');
}

/** In each folder, the hidden file takes precedence; the nearest folder is the strongest. */
function inWalk(machine: Machine, name: string): readonly Location[] {
  const plain = walkFiles(machine, [name], { refuses: plainJson });
  const hidden = walkFiles(machine, [`.${name}`], { refuses: plainJson });
  return plain.flatMap((file, index) => [file, hidden[index] ?? []].flat());
}

function readCrushEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const reading = readShape(node, shape, context);
  if (reading === undefined) return undefined;
  reportCommands(node, ['command', 'args', 'env', 'url', 'headers'], holdsShellCommand, context);
  const { launch } = reading;
  if (launch.kind === 'stdio' || get(node, 'oauth') === undefined) return reading;
  const wanted = readBoolean({ node, report: context.report }, 'oauth');
  return wanted === false ? { ...reading, launch: { ...launch, oauth: false } } : reading;
}
