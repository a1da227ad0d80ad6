/**
 * Converts a server's content to what a model reads: one string, with everything else as attachments. Pure.
 */

import type { ContentBlock } from '../kernel/protocol-types.ts';
import type { Attachment } from './tool-result.ts';

export interface ReadContent {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** Returns the text of all blocks. Each attachment appears in it as a one-line note. */
export function readContent(content: readonly ContentBlock[]): ReadContent {
  const [first] = content;
  // Fast path: most results are a single text block, which may be long.
  if (content.length === 1 && first?.type === 'text')
    return { text: first.text.toWellFormed(), attachments: [] };
  const attachments: Attachment[] = [];
  const types = new Map<string, FileType>();
  const typeOf = (mimeType: string): FileType => {
    const known = types.get(mimeType) ?? fileTypeOf(mimeType);
    types.set(mimeType, known);
    return known;
  };
  const attach = (kind: string, mimeType: string, data: string, name?: string): string => {
    const { plain, extension } = typeOf(mimeType);
    const called = name ?? `${kind}-${attachments.length + 1}${extension}`;
    attachments.push({ mimeType: plain, data, name: called });
    return `[${kind}: ${called}, ${plain}, ${sizeOf(data)}]`;
  };
  const parts = content.map((block) => partOf(block, attach));
  return {
    text: parts
      .filter((part) => part !== '')
      .join('\n\n')
      .toWellFormed(),
    attachments,
  };
}

type Attach = (kind: string, mimeType: string, data: string, name?: string) => string;

function partOf(block: ContentBlock, attach: Attach): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return attach(block.type, block.mimeType, block.data);
    case 'resource_link':
      return `${oneLine(block.name)} <${oneLine(block.uri)}>`;
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return resource.text;
      return attach(
        'file',
        resource.mimeType ?? 'application/octet-stream',
        resource.blob,
        fileNameOf(resource.uri),
      );
    }
  }
}

const mimeType = /^[A-Za-z0-9!#$&^_.+-]{1,64}\/[A-Za-z0-9!#$&^_.+-]{1,64}(?:;[ -~]{0,100})?$/;

interface FileType {
  readonly plain: string;
  readonly extension: string;
}

function fileTypeOf(given: string): FileType {
  const plain = mimeType.test(given) ? given : 'application/octet-stream';
  return { plain, extension: extensionOf(plain) };
}

const extensions: Readonly<Record<string, string>> = {
  jpeg: '.jpg',
  'svg+xml': '.svg',
  mpeg: '.mp3',
  plain: '.txt',
  'octet-stream': '.bin',
};

function extensionOf(type: string): string {
  const kind = type.split(/[/;]/)[1]?.toLowerCase() ?? '';
  return extensions[kind] ?? (/^[a-z0-9]{1,8}$/.test(kind) ? `.${kind}` : '');
}

const maxFileName = 100;

/**
 * Returns the last path segment of a URI, reduced to characters that every platform allows in file names;
 * undefined if nothing usable is left or it is too long.
 */
function fileNameOf(uri: string): string | undefined {
  const end = uri.search(/[?#]/);
  const path = end === -1 ? uri : uri.slice(0, end);
  const last = path.slice(path.lastIndexOf('/') + 1);
  const start = last.search(/[^.]/);
  if (start === -1 || last.length - start > maxFileName) return undefined;
  return last.slice(start).replaceAll(/[^A-Za-z0-9._-]/g, '_');
}

const maxLine = 10_000;

/**
 * Puts text on one line. Truncates it only if it contains white space: a valid URI may be long, but contains
 * none.
 */
function oneLine(text: string): string {
  if (!/\s/.test(text)) return text;
  const shown = text.length > maxLine ? `${text.slice(0, maxLine).toWellFormed()}…` : text;
  return shown.replaceAll(/\s+/g, ' ').trim();
}

/** Returns the size of the decoded data. */
function sizeOf(base64: string): string {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  const bytes = Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`;
}
