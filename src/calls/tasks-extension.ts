/** What calls use of the official tasks extension, to be loaded late and without the rest of it. */

export {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  toolDeclarationFromMcpTool,
} from '@modelcontextprotocol/ext-tasks/client';
