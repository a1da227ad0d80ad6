'use strict';
// Ends with an error message on a Node that is too old. `npm start` and `npm test` run it first, and the build copies it to
// the start of the command. Both files use only syntax that old Nodes parse, and built-in modules only after the check.
const needed = require('../package.json').engines.node.replace('>=', '');
const current = process.versions.node;
if (isOlder(current.split('.'), needed.split('.'))) {
  process.stderr.write('holt needs Node ' + needed + ' or newer; this is ' + current + '\n');
  process.exit(1);
}

function isOlder(left, right) {
  const at = right.findIndex((part, index) => part !== left[index]);
  return at !== -1 && Number(left[at]) < Number(right[at]);
}
