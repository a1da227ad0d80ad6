/** The SDK's client in a module of its own, so that it is loaded late and without the rest of the package. */

import {
  Client as SdkClient,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolRequestOptions,
  type CallToolResult,
} from '@modelcontextprotocol/client';

import { checkOutput } from '../catalog/check-output.ts';
import { nextTurn } from '../platform/waits.ts';

export class Client extends SdkClient {
  /** Checks the result and yields to other work, which the SDK's synchronous check cannot do. */
  override async callTool(
    params: CallToolRequest['params'],
    options?: CallToolRequestOptions,
  ): Promise<CallToolResult> {
    if (options?.toolDefinition?.outputSchema === undefined) return super.callTool(params, options);
    const { outputSchema, ...toolDefinition } = options.toolDefinition;
    const result = await super.callTool(params, { ...options, toolDefinition });
    if (result.isError !== true) await requireOutput(params.name, outputSchema, result.structuredContent);
    return result;
  }
}

async function requireOutput(tool: string, schema: unknown, structured: unknown): Promise<void> {
  if (structured === undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      `Tool ${tool} has an output schema but did not return structured content`,
    );
  const failures = await checkOutput(schema, structured, nextTurn);
  if (failures.length === 0) return;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Structured content does not match the tool's output schema: ${failures.join('; ')}`,
  );
}
