/**
 * Tools that need input: in the stateless era a result with `input_required`, which the client answers by calling again; in the
 * stateful era the SDK sends the same questions as requests.
 */

import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';

import { text } from './content.ts';

/** What a tool stores with the client between two rounds. */
export interface InputState {
  readonly step: number;
  readonly name?: string;
}

export function addInputTools(server: McpServer, states: RequestStateCodec<InputState>): void {
  addSingleQuestions(server);
  addRequiredQuestion(server);
  addStatefulQuestions(server, states);
  addRounds(server, states);
  addDeclaredQuestions(server);
}

const prefix = 'test_input_required_result_';
const askName = () => askField('What is your name?', 'name');
const askModel = (content: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(content) }], maxTokens });

/** A form with one required field. */
export function askField(message: string, field: string, type: 'string' | 'boolean' = 'string') {
  const requestedSchema = { type: 'object' as const, properties: { [field]: { type } }, required: [field] };
  return inputRequired.elicit({ message, requestedSchema });
}

/** The answer to a form's only field, if it was accepted with a value of the right type. */
export function fieldOf(context: ServerContext, question: string, field: string): string | undefined {
  const value = acceptedContent(context.mcpReq.inputResponses, question)?.[field];
  return typeof value === 'string' ? value : undefined;
}

/** How a question ended that was neither accepted nor left open: the call then ends as well. */
function refusal(context: ServerContext, question: string): string | undefined {
  const answer = inputResponse(context.mcpReq.inputResponses, question);
  return answer.kind === 'elicit' && answer.action !== 'accept' ? answer.action : undefined;
}

function addSingleQuestions(server: McpServer): void {
  server.registerTool(`${prefix}elicitation`, { description: 'Asks for a name' }, (context) => {
    const refused = refusal(context, 'user_name');
    if (refused !== undefined) return { content: [text(`The question was answered: ${refused}`)] };
    const name = fieldOf(context, 'user_name', 'name');
    if (name === undefined) return inputRequired({ inputRequests: { user_name: askName() } });
    return { content: [text(`Hello, ${name}!`)] };
  });
  server.registerTool(
    'test_streaming_elicitation',
    { description: 'Asks for a name in a stream' },
    (context) => {
      const name = fieldOf(context, 'user_name', 'name');
      if (name === undefined) return inputRequired({ inputRequests: { user_name: askName() } });
      return { content: [text(`Hello, ${name}!`)] };
    },
  );
  server.registerTool(`${prefix}url`, { description: 'Asks the user to open a page' }, (context) => {
    const answer = inputResponse(context.mcpReq.inputResponses, 'page');
    if (answer.kind !== 'elicit') {
      const url = 'https://pages.example.test/confirm';
      return inputRequired({
        inputRequests: { page: inputRequired.elicitUrl({ message: 'Please confirm there.', url }) },
      });
    }
    return { content: [text(`The page was answered: ${answer.action}`)] };
  });
  server.registerTool(`${prefix}sampling`, { description: 'Asks the model of the client' }, (context) => {
    const answer = inputResponse(context.mcpReq.inputResponses, 'capital_question');
    if (answer.kind !== 'sampling') {
      return inputRequired({
        inputRequests: { capital_question: askModel('What is the capital of France?', 100) },
      });
    }
    return { content: [text(`The model said: ${JSON.stringify(answer.result.content)}`)] };
  });
  server.registerTool(
    `${prefix}list_roots`,
    { description: 'Asks for the roots of the client' },
    (context) => {
      const answer = inputResponse(context.mcpReq.inputResponses, 'client_roots');
      if (answer.kind !== 'roots')
        return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
      return { content: [text(`The roots are: ${answer.roots.map(({ uri }) => uri).join(', ')}`)] };
    },
  );
}

/** The SDK refuses to ask a client that did not declare sampling: with an error in the stateless era. */
function addRequiredQuestion(server: McpServer): void {
  server.registerTool('test_missing_capability', { description: 'Requires sampling' }, (context) => {
    const answer = inputResponse(context.mcpReq.inputResponses, 'model');
    if (answer.kind === 'sampling') return { content: [text('The client can sample.')] };
    return inputRequired({ inputRequests: { model: askModel('Is anyone there?', 10) } });
  });
}

function addStatefulQuestions(server: McpServer, states: RequestStateCodec<InputState>): void {
  for (const name of ['request_state', 'tampered_state']) {
    server.registerTool(
      `${prefix}${name}`,
      { description: 'Asks for a confirmation, with state' },
      async (context) => {
        const state = context.mcpReq.requestState<InputState>();
        const answer = inputResponse(context.mcpReq.inputResponses, 'confirm');
        if (state === undefined || answer.kind !== 'elicit') {
          const requestState = await states.mint({ step: 1 });
          return inputRequired({
            inputRequests: { confirm: askField('Please confirm', 'ok', 'boolean') },
            requestState,
          });
        }
        return { content: [text('state-ok')] };
      },
    );
  }
  server.registerTool(
    `${prefix}multiple_inputs`,
    { description: 'Asks three questions together' },
    async (context) => {
      const responses = context.mcpReq.inputResponses;
      const kinds = ['user_name', 'greeting', 'client_roots'].map(
        (key) => inputResponse(responses, key).kind,
      );
      if (kinds.includes('missing')) {
        const inputRequests = {
          user_name: askName(),
          greeting: askModel('Generate a greeting', 50),
          client_roots: inputRequired.listRoots(),
        };
        return inputRequired({ inputRequests, requestState: await states.mint({ step: 1 }) });
      }
      return { content: [text(`All were answered: ${kinds.join(', ')}`)] };
    },
  );
}

function addRounds(server: McpServer, states: RequestStateCodec<InputState>): void {
  server.registerTool(`${prefix}multi_round`, { description: 'Asks twice' }, async (context) => {
    const { step, name } = context.mcpReq.requestState<InputState>() ?? { step: 0 };
    const given = fieldOf(context, 'step1', 'name');
    const color = fieldOf(context, 'step2', 'color');
    if (step === 2 && color !== undefined) return { content: [text(`${name} likes ${color}.`)] };
    if (step >= 1 && given !== undefined) {
      const requestState = await states.mint({ step: 2, name: given });
      return inputRequired({
        inputRequests: { step2: askField('Step 2: What is your favorite color?', 'color') },
        requestState,
      });
    }
    const requestState = await states.mint({ step: 1 });
    return inputRequired({
      inputRequests: { step1: askField('Step 1: What is your name?', 'name') },
      requestState,
    });
  });
}

function addDeclaredQuestions(server: McpServer): void {
  server.registerTool(
    `${prefix}capabilities`,
    { description: 'Asks only what the client declared' },
    (context) => {
      const declared =
        context.mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY] ??
        server.server.getClientCapabilities() ??
        {};
      const inputRequests = {
        ...(declared.elicitation === undefined ? {} : { user_name: askName() }),
        ...(declared.sampling === undefined ? {} : { greeting: askModel('Generate a greeting', 50) }),
        ...(declared.roots === undefined ? {} : { client_roots: inputRequired.listRoots() }),
      };
      const responses = context.mcpReq.inputResponses;
      const open = Object.keys(inputRequests).filter(
        (key) => inputResponse(responses, key).kind === 'missing',
      );
      if (open.length > 0) return inputRequired({ inputRequests });
      return { content: [text('Everything was answered.')] };
    },
  );
}
