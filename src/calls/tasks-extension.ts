/** Re-exports the part of the official tasks extension that calls use, so that it can be loaded lazily. */

export {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  toolDeclarationFromMcpTool,
} from '@modelcontextprotocol/ext-tasks/client';
