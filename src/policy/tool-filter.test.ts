import { expect, test } from 'vitest';

import type { AgentId } from '../kernel/agent-ids.ts';
import type { ToolFilter } from '../kernel/servers.ts';
import { serverOf } from '../../tests/support/policy-fixture.ts';
import { isAutoApproved, isOffered } from './tool-filter.ts';

const tools = ['page_open', 'page_close', 'delete', 'page_*'];

const offered = (filter: ToolFilter, agent: AgentId): readonly string[] =>
  tools.filter((tool) => isOffered(serverOf({ name: 's', agent, tools: filter }).definition, tool));

test('without lists all tools are offered', () => {
  expect(tools.filter((tool) => isOffered(serverOf({ name: 's' }).definition, tool))).toEqual(tools);
  expect(offered({}, 'codex')).toEqual(tools);
});

test('an empty list of what is offered offers nothing', () => {
  expect(offered({ include: [] }, 'codex')).toEqual([]);
});

test.each(['holt', 'amp', 'trae'] as const)('lists of %s hold patterns', (agent) => {
  expect(offered({ include: ['page_*'] }, agent)).toEqual(['page_open', 'page_close', 'page_*']);
  expect(offered({ exclude: ['page_*'] }, agent)).toEqual(['delete']);
});

test('in lists of patterns one that fits is enough, and only a star stands for something', () => {
  expect(offered({ include: ['nothing', 'delete', 'page_o*'] }, 'holt')).toEqual(['page_open', 'delete']);
  expect(offered({ exclude: ['delet?', 'page_?pen'] }, 'holt')).toEqual(tools);
});

test.each(['gemini', 'codex', 'crush', 'kiro', 'mcp-json', 'copilot-cli', 'mcporter'] as const)(
  'lists of %s hold names, letter for letter',
  (agent) => {
    expect(offered({ include: ['page_*', 'delete'] }, agent)).toEqual(['delete', 'page_*']);
    expect(offered({ exclude: ['page_*', 'Delete'] }, agent)).toEqual(['page_open', 'page_close', 'delete']);
  },
);

test('what one list leaves out is left out, whatever the other one says', () => {
  expect(offered({ include: ['delete', 'page_open'], exclude: ['delete'] }, 'gemini')).toEqual(['page_open']);
});

test('what goes unasked is a list of names, or a star for all', () => {
  const unasked = (autoApprove: readonly string[], agent: AgentId): readonly string[] =>
    tools.filter((tool) =>
      isAutoApproved(serverOf({ name: 's', agent, tools: { autoApprove } }).definition, tool, false),
    );
  expect(unasked(['delete'], 'cline')).toEqual(['delete']);
  expect(unasked(['page_*'], 'roo')).toEqual(['page_*']);
  expect(unasked(['page_*'], 'holt')).toEqual(['page_open', 'page_close', 'page_*']);
  expect(unasked(['*'], 'kiro')).toEqual(tools);
});

test('a project’s own list counts only once the entry is approved', () => {
  const { definition } = serverOf({ name: 's', scope: 'project', tools: { autoApprove: ['*'] } });
  expect([isAutoApproved(definition, 'x', false), isAutoApproved(definition, 'x', true)]).toEqual([
    false,
    true,
  ]);
});
