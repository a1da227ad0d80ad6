/** A tool, resource or prompt as holt offers it: what the server said, whose it is, and what may be done with it. */

export type JsonObject = Readonly<Record<string, unknown>>;
export type Decision = 'allow' | 'ask' | 'deny';

/** A tool under its public name. Schemas and texts are the server's own, as it wrote them. */
export interface ToolInfo {
  /** The public name: what a model calls it by. */
  readonly name: string;
  /** The server as this host calls it. */
  readonly server: string;
  readonly tool: string;
  readonly agent: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
  readonly decision: Decision;
}

/** A tool that is not what it was when it was accepted, and is offered to nobody until somebody accepts it again. */
export interface WithheldTool {
  readonly server: string;
  readonly tool: string;
  /** One line each, with invisible characters made visible. */
  readonly changes: readonly string[];
  /** Why nobody can tell whether it has changed: what was accepted cannot be read. */
  readonly unchecked?: string;
}

/** A tool that is never offered, because it cannot be compared with what was accepted. */
export interface RefusedTool {
  readonly server: string;
  readonly tool: string;
  /** Completes the sentence "the tool is left out: …". */
  readonly reason: string;
}

export interface ToolMatch {
  readonly tool: ToolInfo;
  readonly score: number;
}

export interface ResourceInfo {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: JsonObject;
}

export interface ResourceTemplateInfo extends Omit<ResourceInfo, 'uri' | 'size'> {
  readonly uriTemplate: string;
}

export interface PromptInfo {
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required: boolean;
  }[];
}
