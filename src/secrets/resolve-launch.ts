/**
 * Turns a trusted definition into a launch plan: resolves its placeholders, each in its own dialect, in one
 * pass.
 */

import { expandParts, type TemplateValues } from '../dialects/expand.ts';
import { parseTemplate } from '../dialects/parse-template.ts';
import type { FieldKind } from '../dialects/template.ts';
import type { StartChoice, StdioLaunch } from '../kernel/servers.ts';
import type { Redactor } from '../masking/redactor.ts';
import type { Approvals } from '../trust/trust-state.ts';
import { assertTrusted, requireTrusted, type TrustedServer } from '../trust/trust-gate.ts';
import { isPlainVariable } from './child-environment.ts';
import { knownValue } from './known-values.ts';
import type { LaunchPlan, RemotePlan, StdioPlan } from './launch-plan.ts';
import { literalSecrets } from './plans/literal-secrets.ts';
import { planProgram } from './plans/plan-program.ts';
import { planRemote } from './plans/plan-remote.ts';
import type { Fill, PlanParts } from './plans/planning.ts';
import { fetchValues, type SourceParts } from './secret-sources.ts';
import { unresolved } from './plans/unresolved.ts';

export interface ResolveParts extends SourceParts {
  /** Receives every resolved value, so that none of them is ever shown. */
  readonly redactor: Redactor;
  /** Loads the approvals again: a script may change while values are fetched. */
  readonly loadApprovals: () => Approvals;
  /** Returns the user's setting of where this server starts. */
  readonly startChoice?: (server: TrustedServer) => StartChoice | undefined;
  /** Called when a placeholder is sent as written, because its agent does so. */
  readonly onKept?: (raw: string) => void;
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
  const planParts: PlanParts = { ...parts, fill: createFill(server, values, parts), variable, learn };
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

function createFill(server: TrustedServer, values: TemplateValues, { onKept }: ResolveParts): Fill {
  return (text: string, field: FieldKind, path: string) => {
    const expansion = expandParts(parseTemplate(text, server.dialect, field), values);
    if (expansion.ok) {
      for (const { raw } of expansion.kept) onKept?.(raw);
      return expansion.text;
    }
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
