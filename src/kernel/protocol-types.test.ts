/** The compiler does the work here: values of the SDK's types and of ours can replace each other. */

import type * as sdk from '@modelcontextprotocol/client';
import { expectTypeOf, test } from 'vitest';

import type * as own from './protocol-types.ts';

test('every type of the protocol can be exchanged with that of the SDK', () => {
  expectTypeOf<sdk.Tool>().toExtend<own.Tool>();
  expectTypeOf<own.Tool>().toExtend<sdk.Tool>();
  expectTypeOf<sdk.ContentBlock>().toExtend<own.ContentBlock>();
  expectTypeOf<own.ContentBlock>().toExtend<sdk.ContentBlock>();
  expectTypeOf<sdk.Resource>().toExtend<own.Resource>();
  expectTypeOf<own.Resource>().toExtend<sdk.Resource>();
  expectTypeOf<sdk.ResourceTemplateType>().toExtend<own.ResourceTemplate>();
  expectTypeOf<own.ResourceTemplate>().toExtend<sdk.ResourceTemplateType>();
  expectTypeOf<sdk.Prompt>().toExtend<own.Prompt>();
  expectTypeOf<own.Prompt>().toExtend<sdk.Prompt>();
  expectTypeOf<sdk.Implementation>().toExtend<own.Implementation>();
  expectTypeOf<own.Implementation>().toExtend<sdk.Implementation>();
  expectTypeOf<sdk.ReadResourceResult>().toExtend<own.ReadResourceResult>();
  expectTypeOf<own.ReadResourceResult>().toExtend<sdk.ReadResourceResult>();
  expectTypeOf<sdk.GetPromptResult>().toExtend<own.GetPromptResult>();
  expectTypeOf<own.GetPromptResult>().toExtend<sdk.GetPromptResult>();
});
