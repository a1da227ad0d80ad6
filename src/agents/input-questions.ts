/** Reads `inputs`: the questions that a file in VS Code's format asks before its servers can start. */

import { get, type DocNode } from '../documents/tree.ts';
import type { InputQuestion } from '../kernel/servers.ts';
import type { ConfigFile } from './agent-format.ts';

export function readInputs(file: ConfigFile, node: DocNode | undefined): readonly InputQuestion[] {
  if (node === undefined || node.kind === 'null') return [];
  if (node.kind !== 'array') {
    file.report({
      severity: 'warning',
      code: 'field-invalid',
      at: node.start,
      message: '"inputs" is not a list; it is ignored',
    });
    return [];
  }
  return node.items.flatMap((item) => readInput(file, item));
}

function readInput(file: ConfigFile, node: DocNode): readonly InputQuestion[] {
  const id = textOf(node, 'id');
  if (id === undefined || id === '') {
    const message = 'an input without an "id" cannot be asked for; it is ignored';
    file.report({ severity: 'warning', code: 'field-invalid', at: node.start, message });
    return [];
  }
  if (textOf(node, 'type') === 'command') {
    const message = `the editor answers input "${id}" with a command; holt does not run it and asks instead`;
    file.report({ severity: 'info', code: 'field-executable', at: node.start, message });
  }
  const fallback = textOf(node, 'default');
  const options = readOptions(get(node, 'options'));
  const password = get(node, 'password');
  return [
    {
      id,
      description: textOf(node, 'description') ?? id,
      password: password?.kind === 'boolean' && password.value,
      ...(fallback === undefined ? {} : { fallback }),
      ...(options === undefined ? {} : { options }),
    },
  ];
}

/** An option is a string, or an object whose `value` is used and whose `label` is only displayed. */
function readOptions(node: DocNode | undefined): readonly string[] | undefined {
  if (node?.kind !== 'array') return undefined;
  return node.items.flatMap((item) => {
    const text = item.kind === 'string' ? item.value : textOf(item, 'value');
    return text === undefined ? [] : [text];
  });
}

function textOf(node: DocNode, key: string): string | undefined {
  const value = get(node, key);
  return value?.kind === 'string' ? value.value : undefined;
}
