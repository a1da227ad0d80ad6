/**
 * Problems found in files, worded so that the user can fix them. Reading a file reports problems and never
 * throws for them.
 */

/** The meaning of each code, in a few words. The codes are stable; programs may rely on them. */
export const problemCodes = {
  'file-unreadable': 'the file exists and could not be read',
  'file-not-regular': 'the path is not a regular file',
  'file-too-large': 'the file is over the size limit',
  'file-too-deep': 'the file nests deeper than 64 levels',
  'file-unsafe': 'others could have written the file',
  'file-syntax': 'the text cannot be parsed',
  'file-shape': 'the text parses but is not what the agent keeps there',
  'agent-refuses': 'the agent itself would not take this; holt reads on',
  'agent-ignores': 'the agent itself does not look at this',
  'entry-invalid': 'the entry is not a server',
  'entry-duplicate': 'the same name is in one file twice',
  'entry-unsupported': 'an entry of a kind holt does not run',
  'field-invalid': 'a value of the wrong type; the field is left out',
  'field-executable': 'the value is a command that runs when the server is connected',
  'self-approval': 'a project file tries to approve itself',
  'beyond-walk': 'the agent would also read a file outside the project',
  'not-evaluated': 'a file that holt shows but never runs',
  'server-shadowed': 'two different servers share one name',
  'server-duplicate': 'one server stands under two names',
  'setting-unknown': 'a setting that does not exist',
  'setting-invalid': 'a setting with a value that does not fit',
  'setting-ignored': 'a setting that does not count in this file',
  'agents-left-out': 'a project’s settings leave out files of the project itself',
  'placeholder-unset': 'a placeholder names a variable that is not set',
  'secret-literal': 'the file holds a secret as plain text',
  'file-mode': 'a file with secrets can be read by others',
  'program-missing': 'the program is not installed',
  'trust-missing': 'the entry waits for approval',
  'folder-untrusted':
    'servers of the user’s start in the home folder, or not at all, because this folder is not trusted',
  'offer-duplicate': 'a server lists two tools under one name',
  'schema-too-deep':
    'a server lists a tool whose schema is nested too deeply to be compared with an accepted one; it is ignored',
  'offer-refused': 'a server lists a tool whose name begins or ends with a blank; it is ignored',
  'list-cut': 'a server lists more than is read; what was read is offered',
  'tool-withheld': 'a tool is not what was accepted, or that cannot be checked; it is not offered',
  'instructions-changed': 'a server gives other instructions than were accepted',
  'logins-hidden': 'the store of logins cannot be looked at',
  'process-survived': 'a process outlived the server that started it',
  'login-expired': 'the stored login is over and cannot be renewed',
} as const;

export type ProblemCode = keyof typeof problemCodes;
export type Severity = 'error' | 'warning' | 'info';

export interface Problem {
  readonly severity: Severity;
  readonly code: ProblemCode;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly server?: string;
  readonly message: string;
  readonly remedy?: string;
}
