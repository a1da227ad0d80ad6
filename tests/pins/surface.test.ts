/** What people and programs rely on, as literal lists. A change here is a change of the contract. */

import { expect, test } from 'vitest';

import { exitCodes } from '../../src/cli/exit-codes.ts';
import { mainHelp } from '../../src/cli/help.ts';
import { commandTable } from '../../src/commands/command-table.ts';
import { agentIds } from '../../src/kernel/agent-ids.ts';
import { phases } from '../../src/kernel/phases.ts';
import { problemCodes } from '../../src/kernel/problems.ts';
import { scopes } from '../../src/kernel/servers.ts';
import * as library from '../../src/index.ts';

test('the library exports these values', () => {
  expect(Object.keys(library).toSorted()).toMatchInlineSnapshot(`
    [
      "HoltError",
      "ToolAborted",
      "discoverAndLoadTools",
      "loadServers",
      "openHost",
      "validateServerConfig",
      "watchServers",
    ]
  `);
});

test('errors have these codes and exit codes', () => {
  expect(exitCodes).toMatchInlineSnapshot(`
    {
      "agent-not-writable": 2,
      "agent-unknown": 2,
      "arguments-invalid": 2,
      "auth-failed": 3,
      "auth-required": 3,
      "auth-timeout": 7,
      "auth-unsupported": 2,
      "call-aborted": 130,
      "call-denied": 5,
      "call-timeout": 7,
      "client-registration-needed": 3,
      "config-invalid": 1,
      "config-not-ours": 1,
      "config-unwritable": 1,
      "connect-failed": 6,
      "connect-timeout": 7,
      "connection-lost": 6,
      "credentials-unavailable": 1,
      "folder-unsafe": 1,
      "frame-too-complex": 1,
      "frame-too-large": 1,
      "host-closed": 1,
      "illegal-transition": 70,
      "internal-error": 70,
      "interrupted": 130,
      "lock-busy": 7,
      "program-missing": 6,
      "protocol-violation": 1,
      "queue-full": 1,
      "request-failed": 1,
      "scope-unavailable": 2,
      "secret-input-needed": 6,
      "secret-unresolved": 6,
      "server-ambiguous": 2,
      "server-disabled": 1,
      "server-exists": 1,
      "server-exited": 6,
      "server-not-found": 2,
      "session-lost": 6,
      "spawn-failed": 6,
      "tool-ambiguous": 2,
      "tool-changed": 5,
      "tool-not-found": 2,
      "trust-required": 4,
      "undo-empty": 1,
      "usage-invalid": 2,
    }
  `);
});

test('problems have these codes', () => {
  expect(Object.keys(problemCodes)).toMatchInlineSnapshot(`
    [
      "file-unreadable",
      "file-not-regular",
      "file-too-large",
      "file-too-deep",
      "file-unsafe",
      "file-syntax",
      "file-shape",
      "agent-refuses",
      "agent-ignores",
      "entry-invalid",
      "entry-duplicate",
      "entry-unsupported",
      "field-invalid",
      "field-executable",
      "self-approval",
      "beyond-walk",
      "not-evaluated",
      "server-shadowed",
      "server-duplicate",
      "setting-unknown",
      "setting-invalid",
      "setting-ignored",
      "agents-left-out",
      "placeholder-unset",
      "secret-literal",
      "file-mode",
      "program-missing",
      "trust-missing",
      "folder-untrusted",
      "offer-duplicate",
      "schema-too-deep",
      "offer-refused",
      "list-cut",
      "tool-withheld",
      "instructions-changed",
      "logins-hidden",
      "process-survived",
      "login-expired",
    ]
  `);
});

test('these agents are read, in the order in which they win names', () => {
  expect(agentIds).toMatchInlineSnapshot(`
    [
      "holt",
      "chimera-otter",
      "chimera-mink",
      "claude-code",
      "opencode",
      "omp",
      "codex",
      "gemini",
      "cursor",
      "vscode",
      "1mcp",
      "amazon-q",
      "amp",
      "antigravity",
      "augment",
      "claude-desktop",
      "cline",
      "codearts",
      "codebuddy",
      "command-code",
      "continue",
      "copilot-cli",
      "copilot-jetbrains",
      "copilot-xcode",
      "cortex-code",
      "crush",
      "deepagents",
      "enconvo",
      "factory-droid",
      "fx",
      "goose",
      "grok-build",
      "hermes",
      "iac-code",
      "ibm-bob",
      "junie",
      "kilo",
      "kimi-code",
      "kiro",
      "lm-studio",
      "mastra-code",
      "mcporter",
      "mistral-vibe",
      "muse-code",
      "openclaw",
      "openhands",
      "pi",
      "qoder",
      "qwen",
      "reasonix",
      "roo",
      "rovo-dev",
      "sema4",
      "tabnine",
      "tome",
      "trae",
      "visual-studio",
      "warp",
      "windsurf",
      "witsy",
      "zcode",
      "zed",
      "mcp-json",
    ]
  `);
});

test('these are the commands and their other names', () => {
  expect(commandTable.map(({ name, aliases }) => [name, ...aliases].join(' '))).toMatchInlineSnapshot(`
    [
      "overview",
      "list ls discover",
      "get show",
      "add",
      "add-json",
      "import",
      "add-from-claude-desktop",
      "remove rm delete",
      "enable",
      "disable",
      "undo",
      "trust approve",
      "pin",
      "doctor",
      "agents",
      "status",
      "test",
      "auth login",
      "reauth",
      "logout unauth",
      "tools",
      "search",
      "call",
      "resources",
      "read",
      "prompts",
      "prompt",
      "policy",
      "repl",
      "serve",
      "logs",
      "ps",
      "reap",
      "config",
      "completion",
      "version",
    ]
  `);
});

test('scopes and phases are spelled like this', () => {
  expect({ scopes, phases }).toMatchInlineSnapshot(`
    {
      "phases": [
        "disconnected",
        "connecting",
        "initializing",
        "handshaking",
        "listing_resources",
        "listing_tools",
        "listing_prompts",
        "ready",
        "executing",
        "cleaning_up",
        "failed",
      ],
      "scopes": [
        "managed",
        "runtime",
        "local",
        "project",
        "user",
        "plugin",
      ],
    }
  `);
});

test('the help fits a screen', () => {
  const lines = mainHelp().split('\n');
  expect(lines.length).toBeLessThanOrEqual(50);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
});
