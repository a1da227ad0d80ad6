import { expect, test } from 'vitest';

import { createMetrics, type Momentary } from './metrics.ts';

const now: Momentary = {
  status: { a: { status: 'connected' }, b: { status: 'connected' }, c: { status: 'idle' } },
  inFlight: 2,
  feed: { subscribers: 1, events: 7, dropped: 0 },
  loopLagMs: { p50: 0, p99: 1.5, max: 9 },
  uptimeMs: 1500,
};

test('counts responses by route and status', () => {
  const metrics = createMetrics();
  metrics.request('GET /mcp', 200, 3);
  metrics.request('GET /mcp', 200, 30);
  const lines = metrics.text(now).split('\n');
  expect(lines.filter((line) => line.startsWith('holt_http_request_duration_ms'))).toEqual([
    'holt_http_request_duration_ms_bucket{route="GET /mcp",status="200",le="5"} 1',
    'holt_http_request_duration_ms_bucket{route="GET /mcp",status="200",le="25"} 1',
    'holt_http_request_duration_ms_bucket{route="GET /mcp",status="200",le="100"} 2',
    'holt_http_request_duration_ms_bucket{route="GET /mcp",status="200",le="500"} 2',
    'holt_http_request_duration_ms_bucket{route="GET /mcp",status="200",le="2500"} 2',
    'holt_http_request_duration_ms_bucket{route="GET /mcp",status="200",le="10000"} 2',
    'holt_http_request_duration_ms_bucket{route="GET /mcp",status="200",le="+Inf"} 2',
    'holt_http_request_duration_ms_sum{route="GET /mcp",status="200"} 33',
    'holt_http_request_duration_ms_count{route="GET /mcp",status="200"} 2',
  ]);
});

test('reports the status of servers and the delay of the event loop', () => {
  const lines = createMetrics().text(now).split('\n');
  expect(lines.filter((line) => /^holt_(servers|event|requests|uptime)/.test(line))).toEqual([
    'holt_uptime_seconds 1.5',
    'holt_servers{status="connected"} 2',
    'holt_servers{status="idle"} 1',
    'holt_requests_in_flight 2',
    'holt_event_subscribers 1',
    'holt_events_total 7',
    'holt_event_subscribers_dropped_total 0',
    'holt_event_loop_lag_ms{quantile="0.5"} 0',
    'holt_event_loop_lag_ms{quantile="0.99"} 1.5',
    'holt_event_loop_lag_ms{quantile="1"} 9',
  ]);
});

test('a server’s name cannot add a line or a label', () => {
  const metrics = createMetrics();
  metrics.toolCall('a"} 1\nevil 2', true, 1);
  const lines = metrics.text(now).split('\n');
  expect(lines.filter((line) => line.startsWith('evil'))).toEqual([]);
  expect(lines).toContain(String.raw`holt_tool_call_duration_ms_count{server="a\"} 1\nevil 2",ok="true"} 1`);
});

test('a flood of names does not become a flood of lines', () => {
  const metrics = createMetrics();
  for (let count = 0; count < 1200; count += 1) metrics.toolCall(`s${count}`, true, 1);
  const counts = metrics.text(now).match(/^holt_tool_call_duration_ms_count.*/gm) ?? [];
  expect([counts.length, counts.at(-1)]).toEqual([
    1001,
    'holt_tool_call_duration_ms_count{other="true"} 200',
  ]);
});
