/** Processes that share one login with a single-use refresh token, a provider that fails, and kills during a refresh. */

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { startAuth, type AuthFixture, type LogEntry } from '../../support/auth-fixture.ts';
import { killOfRefresher } from '../checks/refreshes.ts';
import { now } from '../programs/notes.mjs';
import {
  persist,
  sendSignal,
  startOwner,
  whileOn,
  type Owner,
  type WorkloadContext,
} from '../workload-context.ts';

const usersAtOnce = 4;
const bystander = { serverUrl: 'https://other.test/mcp', tokens: { access: 'untouched' } };

const failures = [
  { status: 500, json: { error: 'server_error' } },
  { status: 503, text: 'down', headers: { 'retry-after': '0' } },
  { status: 429, text: 'slow down' },
  { status: 200, text: '<html>login</html>' },
  { status: 200, json: {} },
];

interface Workload {
  readonly context: WorkloadContext;
  readonly home: string;
  readonly url: string;
  readonly provider: AuthFixture;
  readonly users: Set<Owner>;
  /** Set while somebody logs in: then nobody else starts. */
  login: Promise<void> | undefined;
  started: number;
}

export async function runLogins(context: WorkloadContext): Promise<void> {
  const home = path.join(context.folder, 'home');
  mkdirSync(home);
  // Shorter than what counts as near its end: every use renews.
  await using provider = await startAuth('odd-provider', { accessTtl: 5 });
  await using server = await startAuth('guarded-server', { issuer: provider.url });
  const workload: Workload = {
    context,
    home,
    url: server.url,
    provider,
    users: new Set(),
    login: undefined,
    started: 0,
  };
  await logIn(workload);
  plantBystander(home);
  await Promise.all([
    ...Array.from({ length: usersAtOnce }, () => useOn(workload)),
    whileOn(context, [1500, 4000], () => kill(workload)),
    whileOn(context, [1000, 4000], () => failToken(workload)),
    whileOn(context, [200, 900], () => revokeAccess(workload)),
  ]);
  const log = await persist(() => provider.log('POST /token'));
  tellRefreshes(context, log);
  tellTokens(context, log, await persist(() => server.requests()));
  if (JSON.stringify(recordsIn(home)['mcp:other']) !== JSON.stringify(bystander))
    context.note('wrong', { what: 'the login that nothing here is about was changed' });
}

function start(workload: Workload, mode: 'use' | 'login' | 'stall'): Owner {
  const { context, home, url } = workload;
  const owner = `login-${(workload.started += 1)}`;
  return startOwner(context, 'soak-login', owner, { home, url, mode });
}

/** One login for all who found that it takes one. */
function logIn(workload: Workload): Promise<void> {
  workload.login ??= (async () => {
    await persist(() => workload.provider.post('/script', {}));
    await start(workload, 'login').ended;
    workload.login = undefined;
  })();
  return workload.login;
}

async function useOn(workload: Workload): Promise<void> {
  const { context, users } = workload;
  while (!context.isOver()) {
    await workload.login;
    const user = start(workload, 'use');
    users.add(user);
    const leaving = setInterval(() => context.isOver() && user.stop(), 50);
    const code = await user.ended;
    clearInterval(leaving);
    users.delete(user);
    if (code === 3 && !context.isOver()) {
      context.note('fault', { fault: 'login needed', target: user.owner });
      await logIn(workload);
    }
  }
}

async function kill(workload: Workload): Promise<void> {
  const { context, users } = workload;
  const { random, note } = context;
  if (random.chance(0.7)) {
    const victim = random.pick([...users]);
    if (victim === undefined) return;
    note('fault', { fault: killOfRefresher, target: victim.owner });
    sendSignal(victim.child.pid, 'SIGKILL');
    return;
  }
  // Between the provider's answer and the file: the one moment that costs a login.
  const victim = start(workload, 'stall');
  await Promise.race([victim.saidSomething, pause(3000)]);
  note('fault', { fault: killOfRefresher, target: `${victim.owner}, saving` });
  sendSignal(victim.child.pid, 'SIGKILL');
  await victim.ended;
}

async function failToken({ context, provider }: Workload): Promise<void> {
  const { random, note } = context;
  const script = Array.from({ length: random.between(1, 3) }, () => random.pick(failures));
  note('fault', { fault: 'token endpoint fails', target: 'provider' });
  await persist(() => provider.post('/script', { 'POST /token': script }));
}

/** What everybody holds is turned down from now on, all at once. */
async function revokeAccess({ context, home, provider }: Workload): Promise<void> {
  const token = recordsIn(home)['mcp:odd']?.tokens?.access;
  if (token === undefined) return;
  context.note('fault', { fault: 'access token revoked', target: 'provider' });
  const body = new URLSearchParams({ token });
  await persist(() => fetch(new URL('/revoke', provider.url), { method: 'POST', body }));
}

function tellRefreshes(context: WorkloadContext, log: readonly LogEntry[]): void {
  const offset = Date.now() - now();
  const renewals = log.filter(({ params }) => params['grant_type'] === 'refresh_token');
  for (const { params, answer, at } of renewals) {
    const facts = {
      record: params['client_id'] ?? '',
      generation: shortOf(params['refresh_token'] ?? ''),
      outcome: outcomeOf(answer),
    };
    // When the provider saw it, not when it was asked about it.
    context.note('refresh', Object.assign(facts, { at: at - offset }));
  }
}

function outcomeOf(answer: LogEntry['answer']): 'ok' | 'spent' | 'failed' {
  const json = answer?.['json'];
  if (typeof json !== 'object' || json === null) return 'failed';
  if ('access_token' in json) return 'ok';
  return 'error' in json && json.error === 'invalid_grant' ? 'spent' : 'failed';
}

/** A refresh token is for the provider alone. */
function tellTokens(
  { note }: WorkloadContext,
  log: readonly LogEntry[],
  requests: Awaited<ReturnType<AuthFixture['requests']>>,
): void {
  const refresh = new Set(log.flatMap(({ params }) => params['refresh_token'] ?? []));
  const sent = requests.map(({ authorization = '' }) => authorization.replace('Bearer ', ''));
  const leaked = sent.filter((token) => refresh.has(token));
  note('outbound', { to: 'guarded server', bytes: sent.join('').length, canaries: leaked.map(shortOf) });
}

function shortOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 12);
}

interface StoredRecord {
  readonly tokens?: { readonly access?: string };
}

function recordsIn(home: string): Record<string, StoredRecord> {
  const text = readFileSync(path.join(home, '.holt', 'credentials.json'), 'utf8');
  return (JSON.parse(text) as { readonly credentials: Record<string, StoredRecord> }).credentials; // holt's own file
}

function plantBystander(home: string): void {
  const credentials = { ...recordsIn(home), 'mcp:other': bystander };
  writeFileSync(path.join(home, '.holt', 'credentials.json'), JSON.stringify({ version: 1, credentials }));
}
