/** Many tools with names, texts and schemas such as real servers have. The same count gives the same tools. */

import type { SearchableTool } from '../../src/catalog/tool-search.ts';

const services = (
  'github gitlab jira linear slack notion postgres mysql sqlite mongodb redis kafka kubernetes docker terraform aws gcloud azure ' +
  'stripe paypal shopify hubspot salesforce zendesk sentry datadog grafana prometheus figma drive calendar gmail outlook browser ' +
  'filesystem memory fetch weather maps translate images video audio search vault ldap dns'
).split(' ');
const verbs =
  'create get list update delete search read write send move copy rename archive restore export import validate run start stop merge approve assign close open watch count'.split(
    ' ',
  );
const things =
  'issue comment pull_request branch commit repository file folder message channel user team project page database table row query index topic pod deployment container image bucket object secret invoice payment customer order product ticket event alert dashboard metric frame layer calendar contact mail label document record zone certificate'.split(
    ' ',
  );
const details =
  'by id for the given owner with optional filters sorted by date and limited to a number of results including archived ones when requested returns a list of matching items as JSON requires permission to write in this workspace supports pagination through a cursor that comes back with every answer use it before changing anything'.split(
    ' ',
  );
const parameters =
  'owner repo path query limit cursor id name title body labels assignee state since until branch message channel user_id project_key page_id sort order include_archived content encoding format timezone start_date end_date'.split(
    ' ',
  );

/** A small generator of its own, so that every run sees the same. */
function createDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

export function realisticTools(count: number): readonly SearchableTool[] {
  const dice = createDice(7);
  const pick = (words: readonly string[]): string => words[dice(words.length)] ?? '';
  return Array.from({ length: count }, (_, at) => {
    const server = `${pick(services)}${at % 3 === 0 ? '' : `-${dice(40)}`}`;
    const [verb, thing, version] = [pick(verbs), pick(things), dice(5) === 0 ? `_v${dice(4)}` : ''];
    const from = dice(details.length - 8);
    const words = details.slice(from, from + 8 + dice(30));
    const names = Array.from({ length: 1 + dice(7) }, () => pick(parameters));
    return {
      name: `mcp__${server}__${verb}_${thing}${version}`,
      server,
      description: `${verb[0]?.toUpperCase()}${verb.slice(1)} a ${thing.replaceAll('_', ' ')} in ${server}: ${words.join(' ')} x${dice(5000)}.`,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(
          names.map((name) => [name, { type: 'string', description: `The ${name} of the ${thing}` }]),
        ),
      },
    };
  });
}
