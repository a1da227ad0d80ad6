'use strict';
// Loaded first by the executable of the coverage run. In a terminal of its own the program does not get the
// variable that makes Node count, and so has to count by itself.
const fs = require('node:fs');
const { Session } = require('node:inspector');
const path = require('node:path');

module.exports = function countInto(folder) {
  if (process.env.NODE_V8_COVERAGE !== undefined) return;
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  process.on('exit', () => {
    session.post('Profiler.takePreciseCoverage', (error, dump) => {
      if (error !== null) return;
      const file = path.join(folder, `alone-${process.pid}-${Date.now()}`);
      fs.writeFileSync(file, JSON.stringify(dump));
      // Only what is whole has this name: somebody reads along.
      fs.renameSync(file, `${file}.json`);
    });
  });
};
