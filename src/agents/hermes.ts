/** Hermes: `mcp_servers` in `~/.hermes/config.yaml`; limits in seconds, tool filters in a separate table. */

import { get, type ObjectNode } from '../documents/tree.ts';
import type { TlsSettings, ToolFilter } from '../kernel/servers.ts';
import type { AgentFormat, EntryContext } from './agent-format.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';
import { readString, readStrings, reportField, type Fields } from './fields.ts';
import { reportFieldWarnings } from './field-warnings.ts';
import { homeFile } from './places.ts';
import { mapLayer } from './server-map.ts';
import { readShape } from './read-shape.ts';

const shape: ServerShape = {
  dialect: 'none',
  types: ['transport', 'type'],
  urls: [
    { key: 'url', untyped: 'http' },
    { key: 'httpUrl', untyped: 'http' },
  ],
  off: { key: 'enabled', value: false },
  timeouts: [
    { key: 'connect_timeout', unit: 's', means: 'start' },
    { key: 'timeout', unit: 's', means: 'idle' },
  ],
  oauth: { key: 'oauth', clientId: 'client_id', clientSecret: 'client_secret', scopes: 'scope' },
};

export const hermes: AgentFormat = {
  id: 'hermes',
  label: 'Hermes',
  shape,
  combine: 'whole',
  locate: (machine) => [homeFile(machine, ['.hermes', 'config.yaml'])],
  layer: (file) => mapLayer(file, ['mcp_servers']),
  read: readHermesEntry,
};

function readHermesEntry(node: ObjectNode, context: EntryContext): EntryReading | undefined {
  const reading = readShape(node, shape, context);
  if (reading === undefined) return undefined;
  const fields: Fields = { node, report: context.report };
  const tools = readTools(fields);
  const tls = readTls(fields);
  const { launch } = reading;
  const oauth = get(node, 'oauth');
  if (oauth?.kind === 'object') {
    const message = 'Hermes does not look at "scopes": it asks for the ones in "scope"';
    reportFieldWarnings(oauth, context, [
      { key: 'scopes', code: 'agent-ignores', message, remedy: 'Write scope: "one two".' },
    ]);
  }
  return {
    ...reading,
    ...(launch.kind === 'stdio' || tls === undefined ? {} : { launch: { ...launch, tls } }),
    ...(tools === undefined ? {} : { tools }),
  };
}

function readTools(fields: Fields): ToolFilter | undefined {
  const node = get(fields.node, 'tools');
  if (node === undefined || node.kind === 'null') return undefined;
  if (node.kind !== 'object') {
    reportField(fields, 'tools', node, 'an object with include and exclude');
    return undefined;
  }
  const inner: Fields = { node, report: fields.report };
  const include = readStrings(inner, 'include');
  const exclude = readStrings(inner, 'exclude');
  return { ...(include === undefined ? {} : { include }), ...(exclude === undefined ? {} : { exclude }) };
}

function readTls(fields: Fields): TlsSettings | undefined {
  const certFile = readString(fields, 'client_cert');
  const keyFile = readString(fields, 'client_key');
  if (certFile === undefined && keyFile === undefined) return undefined;
  return { ...(certFile === undefined ? {} : { certFile }), ...(keyFile === undefined ? {} : { keyFile }) };
}
