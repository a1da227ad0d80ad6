/**
 * The contract every agent fulfils: where it keeps servers, how it spells them, how its files combine.
 * Everything here is pure: facts about the machine come in, texts come in, definitions and problems go out.
 */

import type { DocFormat, DocNode, ObjectNode, Position } from '../documents/tree.ts';
import type { AgentId } from '../kernel/agent-ids.ts';
import type { Machine } from '../kernel/machine.ts';
import type { Timeouts } from '../kernel/phases.ts';
import type { ProblemCode, Severity } from '../kernel/problems.ts';
import type { InputQuestion, Scope, ServerDefinition } from '../kernel/servers.ts';

/** Liberties at which an agent itself refuses a file. holt reads on and says so. */
export interface Refusals {
  readonly comments?: true;
  readonly trailingCommas?: true;
  readonly bom?: true;
  /** Who refuses, when the file is not one agent's own. */
  readonly by?: string;
}

/** One file, or every matching file of one folder, that an agent reads. */
export interface Location {
  readonly path: string;
  /** Set when `path` is a folder: which of its files are read, in the order of their names. */
  readonly each?: RegExp;
  /** With `each`: the matching names are folders, and this is the file inside each of them. */
  readonly below?: string;
  /** What a variable of the environment holds instead of a file; `path` then names the variable. */
  readonly text?: string;
  readonly scope: Scope;
  /** True when a repository could have brought the file: what it defines runs only after approval. */
  readonly guarded: boolean;
  readonly format: DocFormat;
  readonly refuses?: Refusals;
  /** For agents with more than one kind of file: which one this is. */
  readonly variant?: string;
  /** Whose file it is when the file itself does not say (a plugin's name). */
  readonly owner?: string;
  /** A file that switches this one off as a whole when it exists (Copilot's `.mcp.json` hides `.github/mcp.json`). */
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

/** A parsed file with all that is needed to speak about it. */
export interface ConfigFile {
  readonly location: Location;
  /** The file itself; differs from `location.path` when the location is a folder. */
  readonly path: string;
  readonly root: DocNode | undefined;
  readonly machine: Machine;
  readonly position: (offset: number) => Position;
  readonly report: Report;
}

/** A server as it stands in one file, not yet understood. */
export interface RawEntry {
  readonly name: string;
  readonly node: DocNode;
  readonly at: number;
  /** Overrides the file's scope (Claude keeps `local` servers in the user's file). */
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
  /** When given, every name that is not matched is off. */
  readonly only?: { readonly names: readonly string[]; readonly at: number };
  /** How names are compared with the lists; exact when left out. */
  readonly matches?: (listed: string, name: string) => boolean;
}

/** `rejected`: the user said no when the agent asked about this server of the project. */
export interface SharedSwitch extends ListedName {
  readonly rejected: boolean;
}

/** A no to one of the project's entries as it was then: the agent asks again about an entry that has changed. */
export interface Rejection extends ListedName {
  readonly isAbout: (entry: ObjectNode) => boolean;
}

/** What one file says. */
export interface Layer {
  readonly entries: readonly RawEntry[];
  readonly switches?: Switches;
  /** Names in the shared files of the project that the user has switched off in this agent. */
  readonly sharedOff?: readonly SharedSwitch[];
  /** Servers in the agent's own files of the project that the user has refused there. */
  readonly rejections?: readonly Rejection[];
  readonly inputs?: readonly InputQuestion[];
  /** Limits for all of the agent's servers that have none of their own; a stronger file's win. */
  readonly timeouts?: Timeouts;
  /** The agent looks at nothing else when this file exists. */
  readonly exclusive?: true;
}

/** Where an entry stands, for readers of single entries. */
export interface EntryContext {
  readonly file: ConfigFile;
  readonly entry: RawEntry;
  readonly inputs: readonly InputQuestion[];
  /** Reports with the server's name filled in. */
  readonly report: Report;
}

/** Everything of a definition but its place, which discovery fills in. */
export type EntryReading = Omit<ServerDefinition, 'name' | 'origin' | 'guarded' | 'alsoIn' | 'parts'>;

export interface AgentFormat {
  readonly id: AgentId;
  readonly label: string;
  /** Weakest first: what comes later wins by the agent's own rule. */
  locate(machine: Machine): readonly Location[];
  /** Further files that a file names (registries of plugins). */
  follow?(file: ConfigFile): readonly Location[];
  /** Files outside the project that the agent would read too and holt does not: reported when they exist. */
  mentions?(machine: Machine): readonly string[];
  /** Programs that make settings when the agent runs them: reported when they exist, never opened. */
  scripts?(machine: Machine): readonly string[];
  layer(file: ConfigFile): Layer;
  /** Undefined when the entry is not a server; the reason has been reported. */
  read(node: ObjectNode, context: EntryContext): EntryReading | undefined;
  /** Whole entries replace each other, or are merged field by field. */
  readonly combine: 'whole' | 'fields';
  /** For `fields`: may this entry stand in its file at all? Agents that check each file alone say no here. */
  accepts?(node: ObjectNode, context: EntryContext): boolean;
  /** Other agents that read the same files. */
  readonly readers?: readonly AgentId[];
  /** Whether the agent's `sharedOff` is about servers in this shared file. */
  sharesFile?(file: string, machine: Machine): boolean;
}
