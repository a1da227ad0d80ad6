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
  /** Which of several it is, from 1 on. */
  readonly place?: { readonly at: number; readonly of: number };
  /** The project's folder, while nobody trusts it: the answer `allow-and-trust-folder` does. */
  readonly folder?: string;
}

export type TrustAnswer = 'allow' | 'allow-and-trust-folder' | 'deny' | 'undecided';
export type ConfirmTrust = (question: TrustQuestion, signal?: AbortSignal) => Promise<TrustAnswer>;

/** Asked once before the first of the user's own servers starts in a folder that the user has not decided on. */
export interface FolderQuestion {
  readonly folder: string;
  /** Where the user's servers start unless the folder is trusted. */
  readonly homeFolder: string;
  /** The server that is about to start. */
  readonly server: string;
}
/** `decline` is stored as well, so that the question is asked once. */
export type FolderAnswer = 'trust' | 'decline' | 'undecided';
export type ConfirmFolder = (question: FolderQuestion, signal?: AbortSignal) => Promise<FolderAnswer>;

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

/** A call that no rule allows by itself. */
export interface PermissionQuestion {
  readonly server: string;
  readonly tool: string;
  /** The public name. */
  readonly name: string;
  readonly title?: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What made it a question: a rule's text, or that there is none. */
  readonly reason: string;
}
export type PermissionAnswer = 'once' | 'run' | 'always' | 'deny';

/** What the person does to log in on another device. */
export interface DeviceCode {
  readonly server: string;
  readonly url: string;
  readonly userCode: string;
  readonly completeUrl?: string;
  /** Where the code came from and where the login is asked for, to be shown. */
  readonly deviceEndpoint?: string;
  readonly tokenEndpoint?: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A server asks our model for a completion. Its content is the server's and is passed on as it came. */
export interface SampleRequest {
  readonly server: string;
  readonly params: Readonly<Record<string, unknown>>;
}
export type SamplingResult = Readonly<Record<string, unknown>>;

/** A signal is aborted once nobody waits for the answer any more: the question is to be taken back then. */
export interface Interaction {
  /** Asked by `connect(name)` and by logins; a call, and a list of tools, refuse or leave out what is not approved. */
  readonly confirmTrust?: ConfirmTrust | undefined;
  /**
   * Asked by `connect(name)` and by calls, once per folder, before a server of the user's starts in it. Without an answer
   * these servers start in the home folder.
   */
  readonly confirmFolder?: ConfirmFolder | undefined;
  /** Asked by a call that no rule allows, and before an entry of a project uses a login that was made for another. */
  readonly askPermission?:
    | ((question: PermissionQuestion, signal?: AbortSignal) => Promise<PermissionAnswer>)
    | undefined;
  /** False when it could not be opened. */
  readonly openUrl?: ((url: string, why: string) => Promise<boolean>) | undefined;
  readonly showDeviceCode?: ((code: DeviceCode) => void) | undefined;
  /** Shows where to log in, and reads the address that the browser ended at. Undefined: nothing will be pasted. */
  readonly askCallback?:
    | ((login: {
        readonly server: string;
        readonly authorizationUrl: string;
        readonly redirectUri: string;
        /** Aborted once the login came back by itself. */
        readonly signal: AbortSignal;
      }) => Promise<string | undefined>)
    | undefined;
  /** Asked before a start that needs a value, whoever wants it, and for a token to log in with. */
  readonly askSecret?:
    | ((
        prompt: { readonly label: string; readonly password: boolean },
        signal?: AbortSignal,
      ) => Promise<string | undefined>)
    | undefined;
  /** Asked by a server in the middle of a call. */
  readonly elicit?: ((request: ElicitRequest, signal?: AbortSignal) => Promise<ElicitAnswer>) | undefined;
  readonly sample?: ((request: SampleRequest) => Promise<SamplingResult | undefined>) | undefined;
  /** Folders a server may work in; the project root when left out. */
  readonly roots?: (() => Promise<readonly { readonly uri: string; readonly name?: string }[]>) | undefined;
  readonly toast?:
    | ((message: { readonly level: 'info' | 'warning'; readonly text: string }) => void)
    | undefined;
}
