/**
 * The callbacks through which holt asks a person. Each front end supplies its own; a missing callback counts
 * as "no".
 */

import type { ServerDefinitionView } from './definition-view.ts';

/** What the user sees before a server defined in the project may run. Secrets are already masked. */
export interface TrustQuestion {
  readonly server: string;
  readonly reason: 'new' | 'changed';
  readonly definition: ServerDefinitionView;
  readonly digest: string;
  /** The differences from the previously approved definition. */
  readonly changes: readonly {
    readonly path: string;
    readonly before: string | undefined;
    readonly after: string | undefined;
  }[];
  /**
   * The path that the command resolves to. Undefined when there is no such program or it cannot be determined
   * yet.
   */
  readonly program?: string;
  /** The target of the file when it is a symbolic link. */
  readonly fileTarget?: string;
  /**
   * Environment variables that the server would receive. `destination` is the origin they would be sent to.
   */
  readonly variables: readonly string[];
  readonly destination: string | undefined;
  /** Commands that run to obtain values. */
  readonly commands: readonly string[];
  readonly files: readonly string[];
  readonly inputs: readonly string[];
  /** Variables that make the program load other code. They need separate approval. */
  readonly loaderVariables: readonly string[];
  readonly warnings: readonly string[];
  /** The position of this question in a series, counted from 1. */
  readonly place?: { readonly at: number; readonly of: number };
  /** The project's folder while it is untrusted. `allow-and-trust-folder` trusts it. */
  readonly folder?: string;
}

export type TrustAnswer = 'allow' | 'allow-and-trust-folder' | 'deny' | 'undecided';
export type ConfirmTrust = (question: TrustQuestion, signal?: AbortSignal) => Promise<TrustAnswer>;

/**
 * Asked once, before the first of the user's own servers starts in a folder that the user has not decided on.
 */
export interface FolderQuestion {
  readonly folder: string;
  /** Where the user's servers start unless the folder is trusted. */
  readonly homeFolder: string;
  /** The server that is about to start. */
  readonly server: string;
}
/** `decline` is stored too, so that the question is asked only once. */
export type FolderAnswer = 'trust' | 'decline' | 'undecided';
export type ConfirmFolder = (question: FolderQuestion, signal?: AbortSignal) => Promise<FolderAnswer>;

/** A server asks the user for input during a call, with a form or with a page to open. */
export interface ElicitRequest {
  readonly server: string;
  readonly mode: 'form' | 'url';
  readonly message: string;
  /** The fields of the form, as JSON Schema. */
  readonly requestedSchema?: Readonly<Record<string, unknown>>;
  readonly url?: string;
}

export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** A call that no policy rule allows. */
export interface PermissionQuestion {
  readonly server: string;
  readonly tool: string;
  /** The tool's public name. */
  readonly name: string;
  readonly title?: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Why holt asks: the text of a rule, or that no rule matches. */
  readonly reason: string;
}
export type PermissionAnswer = 'once' | 'run' | 'always' | 'deny';

/** What the user needs to log in on another device. */
export interface DeviceCode {
  readonly server: string;
  readonly url: string;
  readonly userCode: string;
  readonly completeUrl?: string;
  /** Where the code came from, for display. `tokenEndpoint` is where the login is requested. */
  readonly deviceEndpoint?: string;
  readonly tokenEndpoint?: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A server asks for a completion from the user's model. holt passes `params` on unchanged. */
export interface SampleRequest {
  readonly server: string;
  readonly params: Readonly<Record<string, unknown>>;
}
export type SamplingResult = Readonly<Record<string, unknown>>;

/**
 * Every `signal` is aborted when no caller waits for the answer any more. The front end then withdraws the
 * question.
 */
export interface Interaction {
  /**
   * Asked by `connect(name)` and by logins. Calls refuse servers that are not approved; tool lists leave them
   * out.
   */
  readonly confirmTrust?: ConfirmTrust | undefined;
  /**
   * Asked by `connect(name)` and by calls, once per folder, before one of the user's servers starts in it.
   * Without an answer these servers start in the home folder.
   */
  readonly confirmFolder?: ConfirmFolder | undefined;
  /**
   * Asked when no rule allows a call, and before a project's entry uses a login that was made for another
   * entry.
   */
  readonly askPermission?:
    | ((question: PermissionQuestion, signal?: AbortSignal) => Promise<PermissionAnswer>)
    | undefined;
  /** Resolves to false when the URL could not be opened. */
  readonly openUrl?: ((url: string, why: string) => Promise<boolean>) | undefined;
  readonly showDeviceCode?: ((code: DeviceCode) => void) | undefined;
  /**
   * Shows where to log in and returns the address the browser ended at. Undefined means that nothing will be
   * pasted.
   */
  readonly askCallback?:
    | ((login: {
        readonly server: string;
        readonly authorizationUrl: string;
        readonly redirectUri: string;
        /** Aborted when the callback arrives by itself, so that nothing has to be pasted. */
        readonly signal: AbortSignal;
      }) => Promise<string | undefined>)
    | undefined;
  /** Asked before any start that needs a value, and for a token to log in with. */
  readonly askSecret?:
    | ((
        prompt: { readonly label: string; readonly password: boolean },
        signal?: AbortSignal,
      ) => Promise<string | undefined>)
    | undefined;
  /** Called when a server asks for user input during a call. */
  readonly elicit?: ((request: ElicitRequest, signal?: AbortSignal) => Promise<ElicitAnswer>) | undefined;
  readonly sample?: ((request: SampleRequest) => Promise<SamplingResult | undefined>) | undefined;
  /** The folders a server may work in. Defaults to the project root. */
  readonly roots?: (() => Promise<readonly { readonly uri: string; readonly name?: string }[]>) | undefined;
  readonly toast?:
    | ((message: { readonly level: 'info' | 'warning'; readonly text: string }) => void)
    | undefined;
}
