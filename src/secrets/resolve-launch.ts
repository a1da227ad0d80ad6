/**
 * Turns a trusted definition into a launch plan: resolves its placeholders, each in its own dialect, in one
 * pass.
 */

import { expandParts, type TemplateValues } from '../dialects/expand.ts';
import { parseTemplate } from '../dialects/parse-template.ts';
import type { FieldKind, KnownName } from '../dialects/template.ts';
import type { Machine } from '../kernel/machine.ts';
import type { StartChoice, StdioLaunch, ServerDefinition } from '../kernel/servers.ts';
import { looksSecret } from '../masking/looks-secret.ts';
import { maskArgs, maskUrl } from '../masking/mask-secrets.ts';
import type { Redactor } from '../masking/redactor.ts';
import { knownPlace } from '../trust/plain-text.ts';
import { assertTrusted, requireTrusted, type TrustedServer } from '../trust/trust-gate.ts';
import type { Approvals } from '../trust/trust-state.ts';
import { isPlainVariable } from './child-environment.ts';
import type { LaunchPlan, RemotePlan, StdioPlan } from './launch-plan.ts';
import { planProgram } from './plans/plan-program.ts';
import { planRemote } from './plans/plan-remote.ts';
import { type Fill, type PlanParts, unresolved } from './plans/planning.ts';
import { fetchValues, type SourceParts } from './secret-sources.ts';

export interface ResolveParts extends SourceParts {
  /** Receives every resolved value, so that none of them is ever shown. */
  readonly redactor: Redactor;
  /** Loads the approvals again: a script may change while values are fetched. */
  readonly loadApprovals: () => Approvals;
  /** Returns the user's setting of where this server starts. */
  readonly startChoice?: (server: TrustedServer) => StartChoice | undefined;
}

export async function resolveLaunch(server: TrustedServer, parts: ResolveParts): Promise<LaunchPlan> {
  assertTrusted(server);
  const { machine, redactor } = parts;
  redactor.addFound(() => literalSecrets(server));
  const learn = (value: string | undefined): string | undefined => {
    if (value !== undefined && value !== '') redactor.add(value);
    return value;
  };
  const variable = (name: string): string | undefined => {
    const value = machine.env[name];
    // A path to the home folder is not a secret, and hiding it would make every other path unreadable.
    return isPlainVariable(name, machine) ? value : learn(value);
  };
  const fetched = await fetchValues(server, parts);
  const values: TemplateValues = {
    variable,
    input: (id) => learn(fetched.inputs.get(id)),
    file: (path) => learn(fetched.files.get(path)),
    command: (line) => learn(fetched.commands.get(line)),
    known: (name) => knownValue(name, server, machine),
  };
  const planParts: PlanParts = { ...parts, fill: createFill(server, values), variable, learn };
  const { launch } = server;
  const planned: PlannedLaunch =
    launch.kind === 'stdio'
      ? await planStdio(server, launch, { ...parts, ...planParts })
      : { plan: await planRemote(server, launch, planParts), approvals: parts.loadApprovals() };
  requireTrusted(server, planned.approvals);
  return planned.plan as LaunchPlan; // the only place that may cast to this type
}

interface PlannedLaunch {
  readonly plan: StdioPlan | RemotePlan;
  /** Loaded after all values were fetched. */
  readonly approvals: Approvals;
}

async function planStdio(
  server: TrustedServer,
  launch: StdioLaunch,
  parts: ResolveParts & PlanParts,
): Promise<PlannedLaunch> {
  const token = await storedToken(server, parts);
  const approvals = parts.loadApprovals();
  const start = {
    machine: parts.machine,
    folderTrust: () => approvals.folderTrust(),
    choice: parts.startChoice?.(server),
  };
  return { plan: planProgram(server, launch, { ...parts, token, start }), approvals };
}

/** Returns the token of a login that the entry names. Approving the entry also approved this. */
async function storedToken({ auth }: TrustedServer, parts: PlanParts): Promise<string | undefined> {
  return auth === undefined ? undefined : parts.learn(await parts.accessToken?.(auth.credentialId));
}

function createFill(server: TrustedServer, values: TemplateValues): Fill {
  return (text: string, field: FieldKind, path: string) => {
    const expansion = expandParts(parseTemplate(text, server.dialect, field), values);
    if (expansion.ok) return expansion.text;
    const [first] = expansion.missing;
    const { file, line } = server.origin;
    if (first?.kind !== 'variable') throw unresolved(server, path, `${first?.raw ?? ''} has no value`);
    throw unresolved(
      server,
      path,
      `the variable ${first.name} is not set`,
      `Set ${first.name}, or change ${file === '' ? `the entry of "${server.name}"` : `${file}:${line}`}.`,
    );
  };
}

/** Values of placeholders for known places, which need no lookup. */
export function knownValue(
  name: KnownName,
  { origin }: ServerDefinition,
  machine: Machine,
): string | undefined {
  const { path, homeDir } = machine;
  if (name === 'extensionPath') return path.dirname(origin.file);
  if (name !== 'pluginRoot' && name !== 'pluginData') return knownPlace(name, machine);
  const plugin = pluginFolder(origin.file, machine);
  if (name === 'pluginRoot') return plugin;
  return path.join(homeDir, '.claude', 'plugins', 'data', path.basename(plugin));
}

/** Returns the plugin's folder: the file is `<plugin>/.mcp.json` or `<plugin>/.claude-plugin/plugin.json`. */
function pluginFolder(file: string, { path }: Machine): string {
  const folder = path.dirname(file);
  return path.basename(folder) === '.claude-plugin' ? path.dirname(folder) : folder;
}

/**
 * Finds secrets that a definition contains as plain text, by what masking hides, so that they can be hidden
 * elsewhere too.
 */
export function literalSecrets({ launch, dialect }: ServerDefinition): readonly string[] {
  const named = (values: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(values).flatMap(([name, value]) => (looksSecret(name, value, dialect) ? [value] : []));
  if (launch.kind === 'stdio') {
    const masked = maskArgs(launch.args, dialect);
    return [
      ...named(launch.env),
      ...launch.args.flatMap((argument, index) => hiddenParts(argument, masked[index] ?? '')),
    ];
  }
  const { url, headers, oauth } = launch;
  const { clientSecret, privateKey } = oauth === undefined || oauth === false ? {} : oauth;
  return [
    ...named(headers),
    ...hiddenParts(url, maskUrl(url, dialect)),
    ...named({
      ...(clientSecret === undefined ? {} : { clientSecret }),
      ...(privateKey === undefined ? {} : { privateKey }),
    }),
  ];
}

const mask = '***';

/** Returns the strings that the masks in the masked text replace. */
function hiddenParts(text: string, masked: string): readonly string[] {
  if (text === masked) return [];
  const [first = '', ...pieces] = masked.split(mask);
  const hidden: string[] = [];
  let at = first.length;
  for (const [index, piece] of pieces.entries()) {
    const isLast = index === pieces.length - 1;
    const end = isLast ? text.length - piece.length : text.indexOf(piece, at);
    if (end < at) return [text];
    const part = text.slice(at, end);
    // For a user and a password, the password also appears alone.
    hidden.push(part, part.slice(part.indexOf(':') + 1));
    at = end + piece.length;
  }
  return hidden;
}
