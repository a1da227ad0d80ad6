/**
 * Metrics of the service in Prometheus' text format. Labels are names of servers and routes, never arguments.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';

import type { Status } from '../kernel/phases.ts';

export interface Metrics {
  /** Records one response. */
  request(route: string, status: number, ms: number): void;
  toolCall(server: string, ok: boolean, ms: number): void;
  text(now: Momentary): string;
}

/** Values that are read when the metrics are requested. */
export interface Momentary {
  readonly status: Record<string, Status>;
  readonly inFlight: number;
  readonly feed: { readonly subscribers: number; readonly events: number; readonly dropped: number };
  /** How late the event loop was, in milliseconds. */
  readonly loopLagMs: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly uptimeMs: number;
}

const bucketsMs = [5, 25, 100, 500, 2500, 10_000] as const;
/** Limits the label combinations of one metric; all further ones share one label. */
const mostSeries = 1000;

export function createMetrics(): Metrics {
  const requests = createSeries();
  const calls = createSeries();
  return {
    request: (route, status, ms) => requests.add({ route, status: String(status) }, ms),
    toolCall: (server, ok, ms) => calls.add({ server, ok: String(ok) }, ms),
    text: (now) =>
      [
        ...gauge('holt_up', 'Whether the service runs', 1),
        ...gauge('holt_uptime_seconds', 'How long it has run', now.uptimeMs / 1000),
        ...serverLines(now.status),
        ...gauge('holt_requests_in_flight', 'Requests in progress', now.inFlight),
        ...histogram('holt_http_request_duration_ms', 'Responses by route and status', requests),
        ...histogram('holt_tool_call_duration_ms', 'Tool calls by server and outcome', calls),
        ...gauge('holt_event_subscribers', 'Clients that listen to events', now.feed.subscribers),
        ...counter('holt_events_total', 'Events emitted', now.feed.events),
        ...counter(
          'holt_event_subscribers_dropped_total',
          'Subscribers disconnected for being too slow',
          now.feed.dropped,
        ),
        ...lagLines(now.loopLagMs),
        '',
      ].join('\n'),
  };
}

interface Series {
  add(labels: Readonly<Record<string, string>>, ms: number): void;
  entries(): Iterable<readonly [string, Tally]>;
}
interface Tally {
  readonly buckets: number[];
  count: number;
  sum: number;
}

function createSeries(): Series {
  const all = new Map<string, Tally>();
  return {
    add: (labels, ms) => {
      const wanted = labelText(labels);
      const key = all.has(wanted) || all.size < mostSeries ? wanted : 'other="true"';
      const tally = all.get(key) ?? { buckets: bucketsMs.map(() => 0), count: 0, sum: 0 };
      all.set(key, tally);
      tally.count += 1;
      tally.sum += ms;
      for (const [index, limit] of bucketsMs.entries())
        if (ms <= limit) tally.buckets[index] = (tally.buckets[index] ?? 0) + 1;
    },
    entries: () => all,
  };
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',');
}

function escapeLabel(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}

function head(name: string, help: string, type: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function gauge(name: string, help: string, value: number): readonly string[] {
  return [...head(name, help, 'gauge'), `${name} ${value}`];
}

function counter(name: string, help: string, value: number): readonly string[] {
  return [...head(name, help, 'counter'), `${name} ${value}`];
}

function histogram(name: string, help: string, series: Series): readonly string[] {
  const lines = [...series.entries()].flatMap(([labels, { buckets, count, sum }]) => [
    ...bucketsMs.map((limit, index) => `${name}_bucket{${labels},le="${limit}"} ${buckets[index] ?? 0}`),
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${Math.round(sum * 1000) / 1000}`,
    `${name}_count{${labels}} ${count}`,
  ]);
  return [...head(name, help, 'histogram'), ...lines];
}

function serverLines(status: Record<string, Status>): readonly string[] {
  const counts = new Map<string, number>();
  for (const { status: word } of Object.values(status)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [
    ...head('holt_servers', 'Servers by status', 'gauge'),
    ...[...counts].map(([word, count]) => `holt_servers{status="${word}"} ${count}`),
  ];
}

function lagLines({ p50, p99, max }: Momentary['loopLagMs']): readonly string[] {
  const name = 'holt_event_loop_lag_ms';
  return [
    ...head(name, 'How late the event loop was', 'gauge'),
    `${name}{quantile="0.5"} ${p50}`,
    `${name}{quantile="0.99"} ${p99}`,
    `${name}{quantile="1"} ${max}`,
  ];
}

const lagResolutionMs = 20;

/**
 * Measures how late the event loop is. Node reports the time between two samples, including the interval
 * itself.
 */
export function watchLag() {
  const delays = monitorEventLoopDelay({ resolution: lagResolutionMs });
  delays.enable();
  const inMs = (nanoseconds: number): number => {
    const ms = nanoseconds / 1e6 - lagResolutionMs;
    return Number.isFinite(ms) ? Math.max(0, Math.round(ms * 100) / 100) : 0;
  };
  return {
    read: () => ({
      p50: inMs(delays.percentile(50)),
      p99: inMs(delays.percentile(99)),
      max: inMs(delays.max),
    }),
    stop: () => void delays.disable(),
  };
}
