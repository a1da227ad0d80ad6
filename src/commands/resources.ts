/** `holt resources` and `holt read`: list the resources that servers offer, and read one. */

import type { JsonObject } from '../kernel/json.ts';
import type { ResourceInfo, ResourceTemplateInfo } from '../catalog/tool-info.ts';
import { escapeBlock, escapeLine } from '../masking/escape-text.ts';
import type { Attachment } from '../results/tool-result.ts';
import { formatTable } from '../terminal/table.ts';
import { askingForTrust, withHost } from './with-host.ts';
import { defineCommand, usage, valueOf } from './command.ts';
import { saveAttachments, unsavedNote } from './show/save-attachments.ts';
import { isNothing, listOffers, type OfferErrors } from './show/offers.ts';

interface ResourcesData extends OfferErrors {
  readonly resources: readonly ResourceInfo[];
  readonly templates: readonly ResourceTemplateInfo[];
}

export const resources = defineCommand<ResourcesData>({
  name: 'resources',
  wrapsLines: true,
  summary: 'The resources that can be read',
  usage: 'resources [SERVER]',
  mostWords: 1,
  options: {},
  completes: 'servers',

  run: (input, context) =>
    listOffers('resources', input, context, async (host, server) => ({
      resources: await host.resources({ server }),
      templates: await host.resourceTemplates({ server }),
    })),
  render: ({ resources: found, templates, errors }, style) => [
    ...formatTable(
      [
        ...found.map(({ server, uri, title, name }) => [server, uri, title ?? name].map(escapeLine)),
        ...templates.map(({ server, uriTemplate, title, name }) =>
          [server, uriTemplate, title ?? name].map(escapeLine),
        ),
      ],
      style.columns,
    ),
    ...(found.length + templates.length === 0 && isNothing(errors) ? ['No resources.'] : []),
  ],
  json: ({ resources: found, templates, errors }) => ({ resources: found, templates, errors }),
  exitCode: ({ exit }) => exit,
});

interface ReadData {
  readonly answer: JsonObject;
  readonly texts: readonly string[];
  readonly files: readonly Attachment[];
  readonly saved: readonly string[];
}

export const read = defineCommand<ReadData>({
  name: 'read',
  summary: 'Read a resource',
  usage: 'read SERVER URI [--save DIR]',
  options: {
    save: {
      type: 'value',
      placeholder: 'DIR',
      summary: 'save content that is not text in this folder',
      completes: 'files',
    },
  },
  completes: 'servers',

  async run(input, context) {
    const [server, uri, ...extra] = input.positionals;
    if (server === undefined || uri === undefined || extra.length > 0)
      throw usage(
        'holt read takes a server and a URI',
        'holt read SERVER URI; holt resources lists them.',
        extra.join(' '),
      );
    const folder = valueOf(input, 'save');
    const answer = await withHost(context, (host, signal, line) => {
      line.waitFor(`${server} ${uri}`);
      return askingForTrust(
        context,
        () => host.readResource(server, uri, { signal }),
        () => host.connect(server, { ifEnabled: true }),
      );
    });
    const contents = contentsOf(answer);
    const files = contents.flatMap(fileOf);
    return {
      answer,
      texts: contents.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])),
      files,
      saved: folder === undefined ? [] : await saveAttachments(files, folder, context),
    };
  },
  render: ({ texts, files, saved }) => [
    ...texts.map(escapeBlock),
    ...saved.map((file) => `saved ${escapeLine(file)}`),
    ...(saved.length === 0 ? unsavedNote(files) : []),
  ],
  json: ({ answer }) => answer,
});

function contentsOf(answer: JsonObject): readonly JsonObject[] {
  const { contents } = answer;
  return Array.isArray(contents) ? (contents as JsonObject[]) : []; // the protocol's own shape, checked when it came in
}

function fileOf({ uri, mimeType, blob }: JsonObject): readonly Attachment[] {
  if (typeof blob !== 'string') return [];
  const type = typeof mimeType === 'string' ? mimeType : 'application/octet-stream';
  return [{ name: String(uri), mimeType: type, data: blob }];
}
