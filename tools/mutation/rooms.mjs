/** The pure modules whose tests are mutation-tested, each with its own unit tests and no others. */

export const target = 80;

export const rooms = [
  {
    name: 'phases',
    about: 'which phase of a connection may follow which',
    sources: /^src\/connection\/phase-table\.ts$/,
    tests: /^src\/connection\/phase-table\.test\.ts$/,
  },
  {
    name: 'names',
    about: 'the public names of tools',
    sources: /^src\/catalog\/(public-names\.ts|names\/)/,
    tests: /^src\/catalog\/(public-names\.test\.ts$|names\/)/,
  },
  {
    name: 'precedence',
    about: "one agent's files into its servers, and which definition has a name",
    sources: /^src\/(discovery\/(combine|merge-fields|switches)|roster\/(rank|same-server))\.ts$/,
    tests: /^src\/(discovery\/|roster\/(rank|same-server)\.test)/,
  },
  {
    name: 'placeholders',
    about: "each agent's placeholders: what a text falls into, what it means",
    sources: /^src\/dialects\//,
    tests: /^src\/dialects\//,
  },
  {
    name: 'policy',
    about: 'allow, ask or deny',
    // The others open files.
    sources:
      /^src\/(kernel\/glob|policy\/(policy|policy-rule|load-policy|tool-filter|rules\/[^/]+|sources\/(answers|[a-z]+-rules)))\.ts$/,
    tests: /^src\/(policy\/|kernel\/glob)/,
  },
];

/** Of all paths from the root those of the sources that a room is made of. */
export function filesOf({ sources }, paths) {
  return paths.filter((file) => sources.test(file) && !file.endsWith('.test.ts'));
}

/** Of all paths from the root those of the room's own tests. */
export function testsOf({ tests }, paths) {
  return paths.filter((file) => tests.test(file) && file.endsWith('.test.ts'));
}
