/** How holt asks a person. Each front end answers in its own way; what is left out means no. */

import type { ServerDefinitionView } from './definition-view.ts';

/** What is shown before an entry of a project may run. Secrets in it are masked already. */
export interface TrustQuestion {
  readonly server: string;
  readonly reason: 'new' | 'changed';
  readonly definition: ServerDefinitionView;
  readonly digest: string;
  /** What is different from what was approved before. */
  readonly changes: readonly {
    readonly path: string;
    readonly before: string | undefined;
    readonly after: string | undefined;
  }[];
  /** Where the command would be found; undefined when there is no such program, or no way to tell yet. */
  readonly program?: string;
  /** Where the file leads, when it is a link. */
  readonly fileTarget?: string;
  /** Variables of the environment that it would be given, and to which origin they would be sent. */
  readonly variables: readonly string[];
  readonly destination: string | undefined;
  /** Commands that run to get values. */
  readonly commands: readonly string[];
  readonly files: readonly string[];
  readonly inputs: readonly string[];
  /** Variables that make the program run other code: they need a yes of their own. */
  readonly loaderVariables: readonly string[];
  readonly warnings: readonly string[];
}

export type TrustAnswer = 'allow' | 'deny' | 'undecided';
export type ConfirmTrust = (question: TrustQuestion) => Promise<TrustAnswer>;

/** A server asks the person something in the middle of a call: by a form, or by a page to open. */
export interface ElicitRequest {
  readonly server: string;
  readonly mode: 'form' | 'url';
  readonly message: string;
  /** What a form asks for, as JSON Schema. */
  readonly requestedSchema?: Readonly<Record<string, unknown>>;
  readonly url?: string;
}

export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

export interface Interaction {
  readonly confirmTrust?: ConfirmTrust;
  readonly askSecret?: (prompt: {
    readonly label: string;
    readonly password: boolean;
  }) => Promise<string | undefined>;
  readonly elicit?: (request: ElicitRequest) => Promise<ElicitAnswer>;
  /** Folders a server may work in; the project root when left out. */
  readonly roots?: () => Promise<readonly { readonly uri: string; readonly name?: string }[]>;
  readonly toast?: (message: { readonly level: 'info' | 'warning'; readonly text: string }) => void;
}
