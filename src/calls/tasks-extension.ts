/** Re-exports the part of the official tasks extension that calls use, so that it can be loaded lazily. */

export {
  resultFromTaskOutcome,
  toolDeclarationFromMcpTool,
  withTasks,
} from '@modelcontextprotocol/ext-tasks/client';
