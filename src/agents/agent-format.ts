/**
 * The contract that every agent implements: where it stores servers, how it spells them and how its files
 * combine. Everything here is pure: facts about the machine and file contents go in, definitions and problems
 * come out.
 */

import type { Path } from '../documents/edit-document.ts';
import type { DocFormat, DocNode, ObjectNode, Position } from '../documents/tree.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Timeouts } from '../kernel/phases.ts';
import type { ProblemCode, Severity } from '../kernel/problems.ts';
import type { InputQuestion, Scope } from '../kernel/servers.ts';
import type { EntryReading, ServerShape } from './server-shape.ts';

/**
 * Deviations from strict syntax for which an agent refuses a file.
 * holt still reads the file and reports this.
 */
export interface Refusals {
  readonly comments?: true;
  readonly trailingCommas?: true;
  readonly bom?: true;
  /** The agent that refuses, if the file does not belong to a single agent. */
  readonly by?: string;
}

/** One file that an agent reads, or every matching file in one folder. */
export interface Location {
  readonly path: string;
  /** Set if `path` is a folder: which of its files are read, in the order of their names. */
  readonly each?: RegExp;
  /** With `each`: the matching names are folders, and this is the file inside each of them. */
  readonly below?: string;
  /** The content of an environment variable to read instead of a file; `path` then names the variable. */
  readonly text?: string;
  readonly scope: Scope;
  /** True if a repository may have supplied the file: the servers it defines run only after approval. */
  readonly guarded: boolean;
  readonly format: DocFormat;
  readonly refuses?: Refusals;
  /** For agents with more than one kind of file: the kind of this file. */
  readonly variant?: string;
  /** The owner of the file, if the file itself does not name it (a plugin's name). */
  readonly owner?: string;
  /** If this file exists, the location is ignored (Copilot's `.mcp.json` hides `.github/mcp.json`). */
  readonly unless?: string;
}

export interface Complaint {
  readonly severity: Severity;
  readonly code: ProblemCode;
  /** Offset in the text. */
  readonly at: number;
  readonly server?: string;
  readonly message: string;
  readonly remedy?: string;
}
export type Report = (complaint: Complaint) => void;

/** A parsed file with everything that is needed to report on it. */
export interface ConfigFile {
  readonly location: Location;
  /** The file itself; differs from `location.path` when the location is a folder. */
  readonly path: string;
  readonly root: DocNode | undefined;
  readonly machine: Machine;
  readonly position: (offset: number) => Position;
  readonly report: Report;
}

/** A server entry as written in one file, not yet interpreted. */
export interface RawEntry {
  readonly name: string;
  readonly node: DocNode;
  readonly at: number;
  /** Overrides the file's scope (Claude stores `local` servers in the user's file). */
  readonly scope?: Scope;
  readonly variant?: string;
}

/** A name in a list, and the offset at which it is written. */
export interface ListedName {
  readonly name: string;
  readonly at: number;
}

/** Names that a list, rather than the entry itself, switches on or off. */
export interface Switches {
  readonly off?: readonly ListedName[];
  readonly on?: readonly string[];
  /** If set, every server whose name does not match is off. */
  readonly only?: { readonly names: readonly string[]; readonly at: number };
  /** Compares a listed name with a server's name. Default: exact comparison. */
  readonly matches?: (listed: string, name: string) => boolean;
}

/** `rejected`: the user declined when the agent asked about this server of the project. */
export interface SharedSwitch extends ListedName {
  readonly rejected: boolean;
}

/**
 * The user's rejection of a project entry as it was then:
 * the agent asks again about an entry that has changed.
 */
export interface Rejection extends ListedName {
  readonly isAbout: (entry: ObjectNode) => boolean;
}

/** The content of one file. */
export interface Layer {
  readonly entries: readonly RawEntry[];
  readonly switches?: Switches;
  /** Names in the project's shared files that the user has switched off in this agent. */
  readonly sharedOff?: readonly SharedSwitch[];
  /** Servers in the agent's own project files that the user has rejected in the agent. */
  readonly rejections?: readonly Rejection[];
  readonly inputs?: readonly InputQuestion[];
  /** Limits for all of the agent's servers that set none themselves; a stronger file takes precedence. */
  readonly timeouts?: Timeouts;
  /** If this file exists, the agent reads no others. */
  readonly exclusive?: true;
}

/** The context of an entry, for functions that read single entries. */
export interface EntryContext {
  readonly file: ConfigFile;
  readonly entry: RawEntry;
  readonly inputs: readonly InputQuestion[];
  /** Reports a problem with the server's name filled in. */
  readonly report: Report;
}

/** Scopes that can be written to. */
export const writeScopes = ['user', 'project', 'local'] as const;
export type WriteScope = (typeof writeScopes)[number];

/** What a writer may use to find its file. */
export interface FileLookup {
  readonly machine: Machine;
  readonly files: { exists(path: string): boolean };
  /** The agent's own locations. */
  readonly locate: AgentFormat['locate'];
}

/** The map or list in a file that holds servers: every possible one, the one for new servers first. */
export interface EntryContainer {
  readonly kind: 'map' | 'list';
  readonly paths: readonly Path[];
  /** Why nothing may be added here, although there may be servers in it. */
  readonly refusal?: string;
}

/** Where an entry goes, and the table of keys to use there. */
export interface WriteTarget {
  readonly file: string;
  readonly format: DocFormat;
  readonly container: (root: DocNode | undefined) => EntryContainer;
  readonly shapeAt: (path: Path) => ServerShape;
  /** The agent whose rules read this file, if it is another one. */
  readonly readAs?: AgentId;
}

export interface AgentWriter {
  readonly scopes: readonly WriteScope[];
  /** `scope` is one of `scopes`. */
  readonly target: (scope: WriteScope, lookup: FileLookup) => WriteTarget | undefined;
  /** The table of keys for an existing entry at `path` in one of the agent's files. */
  readonly shapeAt: (path: Path) => ServerShape;
}

export interface AgentFormat {
  readonly id: AgentId;
  readonly label: string;
  /** The agent's table of keys. */
  readonly shape: ServerShape;
  /** How holt writes the agent's files. Without it, holt only reads them. */
  readonly writer?: AgentWriter;
  /** Weakest first: later locations take precedence by the agent's own rule. */
  readonly locate: (machine: Machine) => readonly Location[];
  /** Returns further files that a file refers to (registries of plugins). */
  follow?(file: ConfigFile): readonly Location[];
  /** Files outside the project that the agent would also read and holt does not. Reported if they exist. */
  mentions?(machine: Machine): readonly string[];
  /** Programs that produce settings when the agent runs them. Reported if they exist, never opened. */
  scripts?(machine: Machine): readonly string[];
  layer(file: ConfigFile): Layer;
  /** Returns `undefined` if the entry is not a server; the reason has then been reported. */
  read(node: ObjectNode, context: EntryContext): EntryReading | undefined;
  /** Whether entries replace each other as a whole or are merged field by field. */
  readonly combine: 'whole' | 'fields';
  /**
   * For `fields`: returns false if the entry is invalid in its own file.
   * For agents that check each file separately.
   */
  accepts?(node: ObjectNode, context: EntryContext): boolean;
  /** Other agents that read the same files. */
  readonly readers?: readonly AgentId[];
  /** True if the agent's `sharedOff` applies to servers in this shared file. */
  sharesFile?(file: string, machine: Machine): boolean;
}
