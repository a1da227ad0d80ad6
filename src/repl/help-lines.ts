/** The help of the REPL. */

export const helpLines: readonly string[] = [
  '/mcp                       every server: status, failure, login, tools',
  '                           ↑↓ choose, Enter shows details, Space switches on or off, l logs in',
  '/mcp NAME                  one server: status, failure, login, where it is defined, tools',
  '/mcp add|remove|enable|disable|test|reauth|unauth|reload|logs NAME',
  '/tools [WORDS]             what can be called; words look for it',
  '/call TOOL K=V… or {JSON}  call it; a bare TOOL does the same',
  '/resources  /read SERVER URI  /prompts  /prompt SERVER NAME K=V…',
  '/auth NAME  /trust  /pin  /policy explain TOOL  /status  /doctor',
  '/reload                    read all config files again',
  '/events                    show events as they happen, or stop showing them',
  '_                          the last result; K=_ hands it to a tool',
  '… > FILE                   write the result to a file',
  'Esc                        at a question: no answer',
  'holt …                     a leading "holt" is accepted: commands can be typed as printed',
  '/quit                      end (Ctrl-D)',
];
